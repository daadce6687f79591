import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { makeProposalsStrict } from "../../host/strictProposals.mts";

const HOST = "out/vs/workbench/api/node/extensionHostProcess.js";
const PAGE = "out/vs/code/browser/workbench/workbench.js";
const HOST_FUNCTION = "function Oe(i,t){return!0}";
const PAGE_FUNCTION = "function uc(s,o){return!0}";

describe("the npm-shipped server's proposed API", () => {
  let folder: string;
  const place = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "strict-proposals-"));
    await place(HOST, `a();${HOST_FUNCTION}b();`);
    await place(PAGE, `a();${PAGE_FUNCTION}b();`);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is allowed only to a manifest that names it", async () => {
    await makeProposalsStrict(folder);
    for (const [file, name] of [
      [HOST, "Oe"],
      [PAGE, "uc"],
    ] as const) {
      const text = await readFile(join(folder, file), "utf8");
      const allowed = runInNewContext(`${text.replace("a();", "").replace("b();", "")};${name}`) as (
        extension: object,
        proposal: string,
      ) => boolean;
      assert.equal(allowed({}, "x"), false);
      assert.equal(allowed({ enabledApiProposals: ["y"] }, "x"), false);
      assert.equal(allowed({ enabledApiProposals: ["x"] }, "x"), true);
    }
  });

  for (const [what, text] of [
    ["missing", "nothing here"],
    ["there twice", `${PAGE_FUNCTION}${PAGE_FUNCTION}`],
  ] as const) {
    it(`fails with a sentence when the function is ${what}`, async () => {
      await place(PAGE, text);
      await assert.rejects(
        makeProposalsStrict(folder),
        /workbench\.js: expected .* exactly once, found it \d times/,
      );
    });
  }
});
