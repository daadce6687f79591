/** The packages that are measured beside ours; installed on first use, for nothing else needs them. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cacheFolder } from "../../host/project.mts";
import { runCommand } from "../../host/runCommand.mts";

export const PEER_VERSIONS = {
  ai: "7.0.173",
  "@mariozechner/pi-coding-agent": "0.73.1",
  "@langchain/core": "1.4.0",
  langchain: "1.5.14",
} as const;

const FOLDER = join(cacheFolder, `fidelity-peers-${Object.values(PEER_VERSIONS).join("-")}`);
const INSTALLED = join(FOLDER, "installed");
const PI = "@mariozechner/pi-coding-agent/dist";

/** Modules as they come: their types are not installed where this project is checked. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type PeerModule = any;

export interface PeerPackages {
  readonly ai: PeerModule;
  readonly piCompaction: PeerModule;
  readonly piMessages: PeerModule;
  readonly piSessions: PeerModule;
  readonly piAi: PeerModule;
  readonly messages: PeerModule;
  readonly testing: PeerModule;
  readonly langchain: PeerModule;
}

/** Undefined, with a sentence printed, where they cannot be had. */
export async function loadPeerPackages(): Promise<PeerPackages | undefined> {
  if (!existsSync(INSTALLED)) {
    await mkdir(FOLDER, { recursive: true });
    const manifest = { private: true, type: "module", dependencies: PEER_VERSIONS };
    await writeFile(join(FOLDER, "package.json"), JSON.stringify(manifest));
    console.error(`Installing ${Object.keys(PEER_VERSIONS).join(", ")} to compare with (once) …`);
    const args = ["install", "--no-audit", "--no-fund", "--omit=optional", "--ignore-scripts"];
    const { code, output } = await runCommand("npm", args, { cwd: FOLDER });
    if (code !== 0) {
      console.error(`They could not be installed, so the table has no rows of them:\n${output}`);
      return undefined;
    }
    await writeFile(INSTALLED, "");
  }
  const load = (path: string): Promise<PeerModule> =>
    import(pathToFileURL(join(FOLDER, "node_modules", path)).href);
  const [ai, piCompaction, piMessages, piSessions, piAi, messages, testing, langchain] = await Promise.all([
    load("ai/dist/index.js"),
    load(`${PI}/core/compaction/compaction.js`),
    load(`${PI}/core/messages.js`),
    load(`${PI}/core/session-manager.js`),
    load("@mariozechner/pi-ai/dist/index.js"),
    load("@langchain/core/dist/messages/index.js"),
    load("@langchain/core/dist/utils/testing/index.js"),
    load("langchain/dist/index.js"),
  ]);
  return { ai, piCompaction, piMessages, piSessions, piAi, messages, testing, langchain };
}
