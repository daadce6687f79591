/** The first start of the demo: the product's own import command reads the sample session, as a person would have it do. */
const vscode = require("vscode");

const PRODUCT = "context-capsule.context-capsule";
const IMPORT_COMMAND = "contextCapsule.importSession";
/** Exists only in the demo workspace, where `npm start` writes it. */
const SAMPLE = "sessions/tide-tables.claude.jsonl";

/** Resolves with true when the sample was imported now. Done once for each storage, remembered by a file beside it. */
async function importSample(context) {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (folder === undefined) return false;
  const sample = vscode.Uri.joinPath(folder, SAMPLE);
  const done = vscode.Uri.joinPath(context.globalStorageUri, "sample-imported");
  const product = vscode.extensions.getExtension(PRODUCT);
  if (product === undefined || !(await exists(sample)) || (await exists(done))) return false;
  await product.activate();
  const imported = await vscode.commands.executeCommand(IMPORT_COMMAND, sample);
  if (imported === undefined) return false;
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  await vscode.workspace.fs.writeFile(done, new Uint8Array());
  return true;
}

function exists(uri) {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

module.exports = { importSample };
