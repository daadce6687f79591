/**
 * The npm-shipped server allows every proposed API to every extension; a desktop VS Code throws unless the manifest names the
 * proposal. These two edits of the cached copy make it as strict as the desktop, so that a test cannot pass on an API that
 * users do not have. Argument names: extension description, proposal name.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const EDITS: readonly Edit[] = [
  {
    file: "out/vs/workbench/api/node/extensionHostProcess.js",
    from: "function Oe(i,t){return!0}",
    to: "function Oe(i,t){return!!(i.enabledApiProposals&&i.enabledApiProposals.includes(t))}",
  },
  {
    file: "out/vs/code/browser/workbench/workbench.js",
    from: "function uc(s,o){return!0}",
    to: "function uc(s,o){return!!(s.enabledApiProposals&&s.enabledApiProposals.includes(o))}",
  },
];

/** Applies each edit exactly once to the server in `folder`; throws when a text is not found exactly once. */
export async function makeProposalsStrict(folder: string): Promise<void> {
  for (const { file, from, to } of EDITS) {
    const path = join(folder, file);
    const text = await readFile(path, "utf8");
    const matches = text.split(from).length - 1;
    if (matches !== 1) {
      throw new Error(
        `${file}: expected "${from}" exactly once, found it ${matches} times. The server's build has changed: find the ` +
          "function that answers whether a proposed API is allowed and correct test/host/strictProposals.mts.",
      );
    }
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
}
