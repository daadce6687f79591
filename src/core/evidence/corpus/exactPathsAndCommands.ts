import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { listing, serverLog, testLog } from "./outputs.ts";

const BUILD = `Always build with \`CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.rev=$(git rev-parse --short HEAD)" ./cmd/tide-rpc\`.`;
const CONFIG = `The config that counts is /srv/tide (copy)/etc/tide-rpc.d/20-überlauf.toml, not the one without "(copy)".`;
const PORT = "Remember that the admin socket is unix:/run/tide/rpc@2.sock and the metrics port is 19317.";
const WINDOWS = String.raw`On Windows the cache must stay in C:\ProgramData\Tide\cache~1\v3, with the tilde.`;
const ROLLBACK = "Make sure a rollback is `tidectl rollout undo --to-revision=41 --timeout=90s`.";

/** Strings where one character decides. */
export const exactPathsAndCommands: ContextCompactionFixture = fixtureOf("exact-paths-and-commands", [
  {
    steps: [
      says("Package tide-rpc for the new hosts.", BUILD),
      answers("", {
        tool: "run",
        input: { command: "go build ./cmd/tide-rpc" },
        output: testLog("build", 50),
      }),
      says(CONFIG),
      answers("", {
        tool: "list",
        input: { path: "/srv/tide (copy)/etc/tide-rpc.d" },
        output: listing("/srv/tide (copy)/etc/tide-rpc.d", 50),
      }),
      answers("The file is there."),
    ],
    adds: [commitment("constraint", BUILD), commitment("fact", CONFIG)],
  },
  {
    steps: [
      says(PORT),
      answers("", {
        tool: "run",
        input: { command: "curl --unix-socket /run/tide/rpc@2.sock http://x/metrics" },
        output: serverLog("tide", 80),
      }),
      answers("Both answer."),
      says(WINDOWS),
      answers("Noted."),
    ],
    adds: [commitment("fact", PORT), commitment("constraint", WINDOWS)],
  },
  {
    steps: [
      says(`Write the runbook. ${ROLLBACK}`),
      answers("", {
        tool: "run",
        input: { command: "tidectl rollout history" },
        output: listing("/var/lib/tide/revisions", 70),
      }),
      answers("The runbook stands in docs/runbook.md.", {
        tool: "write_file",
        input: { path: "docs/runbook.md" },
        output: "written",
      }),
    ],
    adds: [commitment("constraint", ROLLBACK)],
  },
]);
