import assert from "node:assert/strict";
import { workbenchAddress } from "../../host/workbenchPage.mts";

describe("the workbench's address", () => {
  it("is short and readable for a folder", () => {
    assert.equal(
      workbenchAddress({ port: 7319, folder: "/tmp/a b/c" }),
      "http://127.0.0.1:7319/?folder=/tmp/a%20b/c",
    );
  });

  it("carries the development paths as remote addresses", () => {
    const address = new URL(
      workbenchAddress({ port: 1, extensionDevelopmentPath: "/x", extensionTestsPath: "/y/run.cjs" }),
    );
    assert.equal(address.searchParams.get("ew"), "true");
    assert.deepEqual(JSON.parse(address.searchParams.get("payload") ?? ""), [
      ["extensionDevelopmentPath", "vscode-remote://127.0.0.1:1/x"],
      ["extensionTestsPath", "vscode-remote://127.0.0.1:1/y/run.cjs"],
      ["skipWelcome", "true"],
    ]);
  });
});
