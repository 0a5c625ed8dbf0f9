import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { composeInstalls, type JournalStore } from "../src/index.ts";
import { openJournal } from "../src/sqlite/index.ts";
import { grantOne, shelfRegistry } from "./support/bench.ts";
import { Shelf } from "./support/shelf.ts";

async function journalPath(): Promise<string> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), "composition-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, "state", "journal.sqlite3");
}

const registry = shelfRegistry({ shelf: new Shelf() });

test("a composition owns and runs its driver", async () => {
  const path = await journalPath();
  await using host = await composeInstalls({
    openRegistry: () => Promise.resolve({ registry }),
    openJournal: () => openJournal({ path }),
  });
  const granted = await grantOne(host.engine);
  const run = host.engine.prepareInstallExecution({ ...granted, registry: host.registry });
  expect(await run.execute()).toMatchObject({ outcome: "applied", settled: true });
});

test("drivers that cannot be made leave no journal behind", async () => {
  const path = await journalPath();
  const changed = new Error("the root is another one");
  const composed = composeInstalls({
    openRegistry: () => Promise.reject(changed),
    openJournal: () => openJournal({ path }),
  });
  await expect(composed).rejects.toBe(changed);
  expect(existsSync(join(path, ".."))).toBe(false);
});

test("a journal that cannot be opened releases the drivers, and their error never hides the journal's", async () => {
  const first = new Error("no journal");
  const second = new Error("no release");
  const composed = composeInstalls({
    openRegistry: () => Promise.resolve({ registry, close: () => Promise.reject(second) }),
    openJournal: () => Promise.reject(first),
  });
  await expect(composed).rejects.toBe(first);
  expect(first).toMatchObject({ cleanupErrors: [second] });
});

test("closing twice closes once, and every part even if one fails", async () => {
  const path = await journalPath();
  const journal = await openJournal({ path });
  onTestFinished(() => journal.close());
  const closed: string[] = [];
  const first = new Error("the journal does not close");
  const second = new Error("the driver does not close");
  const failing = new Proxy(journal, {
    get: (target, name): unknown => {
      if (name === "close") {
        return () => {
          closed.push("journal");
          return Promise.reject(first);
        };
      }
      return Reflect.get(target, name) as unknown;
    },
  }) satisfies JournalStore;
  const host = await composeInstalls({
    openRegistry: () =>
      Promise.resolve({
        registry,
        close: () => {
          closed.push("driver");
          return Promise.reject(second);
        },
      }),
    openJournal: () => Promise.resolve(failing),
  });
  await expect(host.close()).rejects.toBe(first);
  await expect(host.close()).rejects.toBe(first);
  expect(closed).toEqual(["journal", "driver"]);
  expect(first).toMatchObject({ cleanupErrors: [second] });
  await expect(host.engine.unresolved()).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
});
