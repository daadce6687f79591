import assert from "node:assert/strict";
import * as vscode from "vscode";

const PRODUCT = "context-capsule.context-capsule";
const DEMO_MODEL = "context-capsule-dev.demo-model";

describe("the host", () => {
  it("has the product and the scripted models loaded", () => {
    for (const id of [PRODUCT, DEMO_MODEL])
      assert.ok(vscode.extensions.getExtension(id), `${id} is not installed`);
  });

  it("activates the product", async () => {
    const product = vscode.extensions.getExtension(PRODUCT);
    assert.ok(product);
    await product.activate();
    assert.equal(product.isActive, true);
  });

  it("refuses proposed API that the product does not declare, as a desktop does", () => {
    const proposed = vscode.window as unknown as {
      onDidWriteTerminalData?: (listener: () => void) => unknown;
    };
    assert.throws(() => proposed.onDidWriteTerminalData?.(() => {}), /terminalDataWriteEvent/);
  });
});
