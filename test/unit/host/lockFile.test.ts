import assert from "node:assert/strict";
import { access, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLockFile } from "../../host/lockFile.mjs";

describe("the lock file", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "lock-file-"));
    path = join(folder, "sub/a.lock");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("lets one in at a time and tells the others once", async () => {
    let inside = 0;
    let most = 0;
    const said: string[] = [];
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await access(folder);
      inside--;
    };
    await Promise.all([1, 2, 3].map(() => withLockFile(path, work, (message) => said.push(message))));
    assert.equal(most, 1);
    assert.equal(said.length, 2);
  });

  it("is free again after work that failed", async () => {
    await assert.rejects(
      withLockFile(path, () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await withLockFile(path, async () => 7), 7);
  });

  it("is taken over from a process that no longer touches it", async () => {
    await withLockFile(path, async () => {});
    await writeFile(path, "1\n");
    const longAgo = new Date(0);
    await utimes(path, longAgo, longAgo);
    assert.equal(await withLockFile(path, async () => 7), 7);
  });
});
