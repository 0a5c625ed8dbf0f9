import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as workerThreads from "node:worker_threads";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { ACTIONS, contentOf } from "../simulation/jobs.ts";
import { failureOf } from "../failure.ts";
import { WorkerClient } from "../../src/worker/client.ts";

// The files of a process share their modules: here they are loaded anew, and not left behind for the next file.
const threads: workerThreads.Worker[] = vi.hoisted(() => {
  vi.resetModules();
  return [];
});
afterAll(() => {
  vi.resetModules();
});

// The real thread, and a hold on it, so that it can be made to end in the middle of its work.
vi.mock("node:worker_threads", async (original) => {
  const real = await original<typeof workerThreads>();
  class HeldWorker extends real.Worker {
    constructor(...options: ConstructorParameters<typeof real.Worker>) {
      super(...options);
      threads.push(this);
    }
  }
  return { ...real, Worker: HeldWorker };
});

it("a thread that dies rejects everything that waits for it, and everything asked afterwards, with one error", async () => {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-thread-"));
  onTestFinished(() => {
    rmSync(base, { recursive: true });
  });
  const client = await WorkerClient.open({ root: join(base, "skills"), create: true });
  const { bytes, address } = contentOf(new Uint8Array([1, 2, 3]));
  const { digest } = address;
  const publish = { kind: "publish", digest, size: bytes.length, actionDigest: ACTIONS[0] ?? "" } as const;
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  // The body never comes: the thread holds the lock and waits, and so does a put of the same content.
  const waiting = [
    failureOf(() =>
      client.execute(publish, () => {
        asked();
        return new Promise<never>(() => undefined);
      }),
    ),
    failureOf(() => client.execute({ kind: "put", bytes })),
    failureOf(() => client.putBatch([bytes])),
  ];
  await isAsked;
  await threads[0]?.terminate();
  for (const error of await Promise.all(waiting)) expect(error.code).toBe("WORKER_FAILED");
  expect(await failureOf(() => client.execute({ kind: "stat", digest }))).toMatchObject({ code: "WORKER_FAILED" });
  await client.close();
  // The lock went with the thread: a new one goes on.
  const next = await WorkerClient.open({ root: join(base, "skills"), create: false });
  expect(await next.execute({ kind: "put", bytes })).toEqual({ digest, status: "created" });
  await next.close();
});
