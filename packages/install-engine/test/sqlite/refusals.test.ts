import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { plain, StreamScript } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

let directory: string;
let path: string;
let count = 0;
beforeEach(() => {
  count += 1;
  directory = join(scratch.path, String(count));
  mkdirSync(directory, { mode: 0o700 });
  path = join(directory, "journal.sqlite3");
});

/** Makes a journal with one record and closes it. */
async function makeJournal(): Promise<void> {
  await using journal = await openJournal({ path });
  await journal.commit(plain(new StreamScript("session-1").plan("a")));
}

/** Shows that the same path serves again once what was wrong is gone. */
async function worksAgain(records: number): Promise<void> {
  await using journal = await openJournal({ path });
  expect((await journal.verify()).records).toBe(records);
  const script = new StreamScript(`session-again`);
  expect((await journal.commit(plain(script.plan("b")))).kind).toBe("committed");
}

describe("a file that is no journal is refused by name and never changed", () => {
  const foreign = (sql: string) => () => {
    const database = new Database(path);
    database.exec(sql);
    database.close();
    chmodSync(path, 0o600);
  };
  const garbage = (bytes: Buffer | string) => () => {
    writeFileSync(path, bytes, { mode: 0o600 });
  };
  const cases = [
    ["an empty file", garbage(""), "JOURNAL_NOT_A_JOURNAL"],
    [
      "a text",
      garbage("not a database, and long enough to be read as a header\n".repeat(100)),
      "JOURNAL_NOT_A_JOURNAL",
    ],
    ["one byte", garbage("S"), "JOURNAL_NOT_A_JOURNAL"],
    ["a header alone", garbage("SQLite format 3\0"), "JOURNAL_NOT_A_JOURNAL"],
    ["a database of something else", foreign("CREATE TABLE t (x)"), "JOURNAL_NOT_A_JOURNAL"],
    [
      "a WAL database of something else",
      foreign("PRAGMA journal_mode = WAL; CREATE TABLE t (x)"),
      "JOURNAL_NOT_A_JOURNAL",
    ],
    [
      "our application id without a format",
      foreign("PRAGMA application_id = 1298494282; CREATE TABLE t (x)"),
      "JOURNAL_NOT_A_JOURNAL",
    ],
    [
      "a newer format",
      foreign("PRAGMA application_id = 1298494282; PRAGMA user_version = 2; CREATE TABLE t (x)"),
      "JOURNAL_FORMAT_NEWER",
    ],
    [
      "our format without its tables",
      foreign("PRAGMA application_id = 1298494282; PRAGMA user_version = 1; CREATE TABLE t (x)"),
      "JOURNAL_CORRUPT",
    ],
  ] as const;
  for (const [name, make, code] of cases) {
    for (const readOnly of [false, true]) {
      test(`${name}${readOnly ? ", read-only" : ""}`, async () => {
        make();
        const bytes = readFileSync(path);
        const error = await refused(code, openJournal({ path, readOnly }));
        expect(error.message).toContain(path);
        expect(error.message).toMatch(/mesh\.install-journal-v1|not part of the format|missing/);
        expect(error.facts["path"]).toBe(path);
        expect(readFileSync(path).equals(bytes)).toBe(true);
        renameSync(path, `${path}.moved-away`);
        await worksAgain(0);
      });
    }
  }

  test("a journal that was cut short at any page or byte", async () => {
    await makeJournal();
    const whole = readFileSync(path);
    for (const size of [1, 50, 100, 512, 4095, 4096, 8192, whole.length / 2, whole.length - 4096, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, size), { mode: 0o600 });
      const cut = readFileSync(path);
      const open = openJournal({ path });
      const error: unknown = await open.then(
        (journal) => journal.close(),
        (reason: unknown) => reason,
      );
      expect(error, `cut to ${size} of ${whole.length} bytes`).toMatchObject({
        code: expect.stringMatching(/^JOURNAL_(CORRUPT|NOT_A_JOURNAL)$/) as unknown,
      });
      expect(readFileSync(path).equals(cut)).toBe(true);
      for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    }
    writeFileSync(path, whole, { mode: 0o600 });
    await worksAgain(1);
  });
});

describe("an unsafe place is refused before anything is made or changed", () => {
  test("a relative path, one with dots, one that ends with a blank or a slash, one with a NUL", async () => {
    for (const wrong of [
      "journal.sqlite3",
      `${directory}/../x/j`,
      `${directory}/./j`,
      `${path} `,
      `${path}/`,
      `${path}\0`,
    ]) {
      await refused("JOURNAL_PATH_INVALID", openJournal({ path: wrong }));
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a directory that others may enter", async () => {
    for (const mode of [0o750, 0o701, 0o777, 0o720]) {
      chmodSync(directory, mode);
      const error = await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path }));
      expect(error.message).toContain(`chmod 700 ${directory}`);
      expect(readdirSync(directory)).toEqual([]);
    }
    chmodSync(directory, 0o700);
    await worksAgain(0);
  });

  test("a directory that its owner may not use", async () => {
    chmodSync(directory, 0o500);
    await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path }));
  });

  test("a symlink anywhere in the path", async () => {
    symlinkSync(directory, join(scratch.path, `link-${count}`));
    await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path: join(scratch.path, `link-${count}`, "j") }));
    await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path: join(scratch.path, `link-${count}`, "sub", "j") }));
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a directory or a journal of another user", async () => {
    if (process.geteuid?.() !== 0) {
      // Only root can give a file away; elsewhere the rule is the same comparison with the effective user.
      expect(statSync(directory).uid).toBe(process.geteuid?.());
      return;
    }
    await makeJournal();
    chownSync(path, 12345, 12345);
    await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
    chownSync(path, 0, 0);
    chownSync(directory, 12345, 12345);
    await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path }));
    chownSync(directory, 0, 0);
    await worksAgain(1);
  });

  test("a database that is a symlink, has a second link, is open to others or no file", async () => {
    await makeJournal();
    const elsewhere = join(scratch.path, `elsewhere-${count}`);
    chmodSync(path, 0o640);
    await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
    chmodSync(path, 0o600);
    linkSync(path, elsewhere);
    await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
    rmSync(path);
    symlinkSync(elsewhere, path);
    await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
    rmSync(path);
    mkdirSync(path);
    await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
    rmSync(path, { recursive: true });
    renameSync(elsewhere, path);
    await worksAgain(1);
  });

  test("a side file that is a symlink or open to others", async () => {
    await makeJournal();
    const victim = join(scratch.path, `victim-${count}`);
    writeFileSync(victim, "outside");
    for (const suffix of ["-wal", "-shm"]) {
      symlinkSync(victim, `${path}${suffix}`);
      const error = await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
      expect(error.facts["path"]).toBe(`${path}${suffix}`);
      rmSync(`${path}${suffix}`);
      writeFileSync(`${path}${suffix}`, "", { mode: 0o644 });
      await refused("JOURNAL_FILE_UNSAFE", openJournal({ path }));
      rmSync(`${path}${suffix}`);
    }
    expect(readFileSync(victim, "utf8")).toBe("outside");
    await worksAgain(1);
  });

  test("a lock file or lock directory that is not ours alone", async () => {
    await makeJournal();
    const victim = join(scratch.path, `victim-${count}`);
    writeFileSync(victim, "outside", { mode: 0o644 });
    rmSync(`${path}.lock`);
    symlinkSync(victim, `${path}.lock`);
    await refused("LOCK_FILE_UNSAFE", openJournal({ path }));
    rmSync(`${path}.lock`);
    linkSync(victim, `${path}.lock`);
    await refused("LOCK_FILE_UNSAFE", openJournal({ path }));
    expect(statSync(victim).mode & 0o777).toBe(0o644);
    rmSync(`${path}.lock`);
    const locks = join(directory, "install-execution-locks");
    chmodSync(locks, 0o755);
    await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path }));
    chmodSync(locks, 0o700);
    await worksAgain(1);
  });

  test("a journal that is not there, read-only", async () => {
    await refused("JOURNAL_MISSING", openJournal({ path, readOnly: true }));
    expect(readdirSync(directory).filter((name) => !name.endsWith(".lock"))).toEqual([]);
    await refused("JOURNAL_DIRECTORY_UNSAFE", openJournal({ path: join(directory, "none", "j"), readOnly: true }));
    await worksAgain(0);
  });
});

describe("a restrictive umask and an interrupted creation block nothing", () => {
  test("under umask 0777 and 0000 every file is private and usable", async () => {
    for (const [index, umask] of [0o777, 0o000].entries()) {
      path = join(directory, String(index), "journal.sqlite3");
      const before = process.umask(umask);
      try {
        await makeJournal();
        await using journal = await openJournal({ path });
        await journal.commit(plain(new StreamScript("session-2").plan("a")));
        await journal.withActionLock({ streamKey: "s", actionId: "a" }, () => Promise.resolve());
        for (const name of readdirSync(join(directory, String(index)), { recursive: true, encoding: "utf8" })) {
          const status = statSync(join(directory, String(index), name));
          expect(status.mode & 0o777, name).toBe(status.isDirectory() ? 0o700 : 0o600);
        }
      } finally {
        process.umask(before);
      }
      await worksAgain(2);
    }
  });

  test("a creation that was cut short anywhere is done again", async () => {
    await makeJournal();
    const whole = readFileSync(path);
    // Before the link: whatever is under the name of the creation is not ours to believe.
    rmSync(path);
    for (const size of [0, 1, 4096, whole.length]) {
      writeFileSync(`${path}.creating`, whole.subarray(0, size), { mode: size === 0 ? 0o000 : 0o600 });
      await makeJournal();
      await worksAgain(1);
      rmSync(path);
    }
    // Between the link and the unlink: two names of one whole file.
    writeFileSync(path, whole, { mode: 0o600 });
    linkSync(path, `${path}.creating`);
    await worksAgain(1);
    expect(readdirSync(directory)).not.toContain("journal.sqlite3.creating");
  });
});

test("a log that lost its database is not replayed into a new one", async () => {
  await using journal = await openJournal({ path });
  await journal.commit(plain(new StreamScript("session-1").plan("a")));
  const log = readFileSync(`${path}-wal`);
  const other = join(directory, "other.sqlite3");
  writeFileSync(`${other}-wal`, log, { mode: 0o600 });
  const error = await refused("JOURNAL_CORRUPT", openJournal({ path: other }));
  expect(error.message).toContain(`${other}-wal`);
  expect(readFileSync(`${other}-wal`).equals(log)).toBe(true);
  rmSync(`${other}-wal`);
  await using fresh = await openJournal({ path: other });
  expect(await fresh.head()).toEqual({ sequence: 0, digest: null });
});

test("a journal whose newest rows are in the log alone is read from there after a crash", async () => {
  const copy = join(directory, "copy.sqlite3");
  await using journal = await openJournal({ path });
  await journal.commit(plain(new StreamScript("session-1").plan("a")));
  for (const suffix of ["", "-wal"]) {
    writeFileSync(`${copy}${suffix}`, readFileSync(`${path}${suffix}`), { mode: 0o600 });
  }
  await using after = await openJournal({ path: copy });
  expect(await after.head()).toEqual(await journal.head());
});
