import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import type { OpenWorkspace } from "../../../src/sessions/placeRegister.ts";
import { PlaceRegister } from "../../../src/sessions/placeRegister.ts";
import { TemporaryPlace } from "./sessionBench.ts";

describe("the register of storage places", () => {
  let root: TemporaryPlace;
  let time = 0;

  beforeEach(() => {
    root = new TemporaryPlace();
    time = 1000;
  });

  afterEach(() => root[Symbol.dispose]());

  function register(): PlaceRegister {
    return new PlaceRegister({
      files: nodeFiles,
      folder: `${root.path}/global`,
      now: () => {
        time += 1;
        return time;
      },
    });
  }

  function make(name: string): string {
    const path = `${root.path}/${name}`;
    mkdirSync(path, { recursive: true });
    return path;
  }

  function workspace(...names: string[]): OpenWorkspace {
    return {
      folders: names.map((name) => {
        const path = `${root.path}/${name}`;
        return { uri: pathToFileURL(path).href, path };
      }),
    };
  }

  async function remembered(place: string, open: OpenWorkspace): Promise<string> {
    const path = make(`storage/${place}`);
    await register().remember(path, open);
    return path;
  }

  it("knows nothing at first", async () => {
    make("a");
    assert.deepEqual(await register().placesFor(workspace("a")), []);
    assert.deepEqual(await register().all(), []);
  });

  it("finds a folder's place when the folder becomes one of several, and the other way round", async () => {
    for (const name of ["a", "b", "c"]) make(name);
    const single = await remembered("single", workspace("a"));
    assert.deepEqual(await register().placesFor(workspace("b", "a")), [single]);
    const several = await remembered("several", workspace("b", "a"));
    assert.deepEqual(await register().placesFor(workspace("a")), [several, single]);
    assert.deepEqual(await register().placesFor(workspace("b")), [several]);
    assert.deepEqual(await register().placesFor(workspace("c")), []);
  });

  it("finds the place of a folder that was renamed or moved", async () => {
    make("a");
    const place = await remembered("p1", workspace("a"));
    make("deep/er");
    renameSync(`${root.path}/a`, `${root.path}/deep/er/renamed`);
    assert.deepEqual(await register().placesFor(workspace("deep/er/renamed")), [place]);
  });

  it("does not take another folder for it: a copy, or a new one", async () => {
    make("a");
    await remembered("p1", workspace("a"));
    cpSync(`${root.path}/a`, `${root.path}/copy`, { recursive: true });
    assert.deepEqual(await register().placesFor(workspace("copy")), []);
    rmSync(`${root.path}/a`, { recursive: true });
    make("new");
    assert.deepEqual(await register().placesFor(workspace("new")), []);
    assert.equal((await register().all()).length, 1);
  });

  it("goes by the workspace file, and by the URI where there is no disk", async () => {
    const workspaceFile = "file:///w/team.code-workspace";
    const first = await remembered("p1", { workspaceFile, folders: [{ uri: "vscode-remote://x/old" }] });
    const changed = { workspaceFile, folders: [{ uri: "vscode-remote://x/new" }] };
    assert.deepEqual(await register().placesFor(changed), [first]);
    assert.deepEqual(await register().placesFor({ folders: [{ uri: "vscode-remote://x/old" }] }), [first]);
    assert.deepEqual(await register().placesFor({ folders: [{ uri: "vscode-remote://x/new" }] }), []);
    assert.deepEqual(await register().placesFor({ folders: [] }), []);
  });

  it("gives a place to every workspace that used it, and leaves out places that are gone", async () => {
    for (const name of ["a", "b"]) make(name);
    const place = await remembered("p1", workspace("a"));
    await remembered("p1", workspace("b"));
    await remembered("p1", workspace("a"));
    assert.deepEqual(await register().placesFor(workspace("a")), [place]);
    assert.deepEqual(await register().placesFor(workspace("b")), [place]);
    assert.deepEqual(
      (await register().all()).map(({ folders }) => folders[0]?.uri),
      [workspace("b").folders[0]?.uri],
    );
    rmSync(place, { recursive: true });
    assert.deepEqual(await register().placesFor(workspace("b")), []);
    assert.deepEqual(await register().all(), []);
  });

  it("writes nothing that is known already", async () => {
    make("a");
    await remembered("p1", workspace("a"));
    const content = readFileSync(`${root.path}/global/places.jsonl`, "utf8");
    await remembered("p1", workspace("a"));
    assert.equal(readFileSync(`${root.path}/global/places.jsonl`, "utf8"), content);
  });

  it("keeps what several windows write at once", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
    for (const name of names) make(name);
    const places = await Promise.all(names.map((name) => remembered(`p-${name}`, workspace(name))));
    for (const [index, name] of names.entries()) {
      assert.deepEqual(await register().placesFor(workspace(name)), [places[index]]);
    }
  });

  it("reads past lines that are torn or wrong", async () => {
    make("a");
    mkdirSync(`${root.path}/global`);
    writeFileSync(
      `${root.path}/global/places.jsonl`,
      'null\n[]\n{"place":1}\n{"place":"p","at":1,"folders":[null]}\n{"pla',
    );
    const place = await remembered("p1", workspace("a"));
    appendFileSync(`${root.path}/global/places.jsonl`, '{"place":"torn');
    assert.deepEqual(await register().placesFor(workspace("a")), [place]);
    const second = await remembered("p2", workspace("a"));
    assert.deepEqual(await register().placesFor(workspace("a")), [second, place]);
  });
});
