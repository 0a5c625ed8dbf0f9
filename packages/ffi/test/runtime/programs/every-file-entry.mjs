// Uses every entry of the file face once, well and badly, and closes everything. No argument.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openPinnedDirectory, statComponents } from "@mesh/ffi/fs";

const top = realpathSync(mkdtempSync(join(tmpdir(), "mesh-ffi-files-")));

// Closed at the end, in whatever state the run is then.
const kept = [];
const keep = (handle) => {
  kept.push(handle);
  return handle;
};

function useEverything() {
  assert.throws(() => openPinnedDirectory(join(top, "absent")), { errnoName: "ENOENT" });
  const directory = keep(openPinnedDirectory(join(top, "made", "here"), { create: true }));
  assert.equal(statComponents(directory.path).at(-1).status.kind, "directory");
  assert.equal(directory.status().mode, 0o700);
  assert.equal(typeof directory.mount().name, "string");

  const file = keep(directory.create("file"));
  assert.throws(() => directory.create("file"), { errnoName: "EEXIST" });
  file.setMode(0o600);
  assert.equal(file.write(Buffer.from("some bytes"), 0), 10);
  file.sync();
  const reading = keep(directory.open("file"));
  assert.throws(() => directory.open("absent"), { errnoName: "ENOENT" });
  assert.throws(() => reading.write(Buffer.from("x"), 0), { errnoName: "EBADF" });
  const buffer = Buffer.alloc(16);
  assert.equal(reading.read(buffer, 5), 5);
  assert.equal(buffer.toString("utf8", 0, 5), "bytes");
  reading.startWriteback();
  assert.equal(typeof reading.dropCachedPages(), "boolean");

  directory.link("file", "alias");
  directory.makeDirectory("inner");
  const inner = keep(directory.openDirectory("inner"));
  directory.linkInto("file", inner, "far");
  assert.equal(inner.stat("far").linkCount, 3);
  assert.equal(inner.stat("absent"), undefined);
  assert.throws(() => directory.unlink("absent"), { errnoName: "ENOENT" });
  directory.renameInto("alias", inner, "moved");
  assert.throws(() => inner.renameInto("moved", inner, "far"), { errnoName: "EEXIST" });
  inner.unlink("moved");
  directory.sync();

  const held = keep(directory.openOrCreateLock("lock"));
  const wanting = keep(directory.openOrCreateLock("lock"));
  assert.deepEqual([held.tryLock(), wanting.tryLock()], [true, false]);
  held.unlock();
  assert.equal(wanting.tryLock(), true);

  for (let index = 0; index < 600; index += 1) inner.create(`name-${index}`).close();
  assert.equal(directory.list({ limit: 2 }).complete, false);
  assert.equal([...inner.entries()].length, 601);
  // Left in the middle: the listing is closed by the loop, and a file that nobody closes by its collection.
  for (const entry of inner.entries()) if (entry.name !== undefined) break;
  inner.open("far");
}

/** A parent that hands its group on adds a bit to the mode of what is made in it; it is taken away again. */
function makeUnderSetGroup() {
  chmodSync(top, 0o2755);
  const made = openPinnedDirectory(join(top, "private"), { create: true });
  assert.equal(made.status().mode, 0o700);
  made.close();
  assert.throws(() => made.sync(), { code: "HANDLE_CLOSED" });
}

try {
  useEverything();
  makeUnderSetGroup();
} finally {
  for (const handle of kept) handle[Symbol.dispose]();
  rmSync(top, { recursive: true, force: true });
}
console.log("every file entry");
