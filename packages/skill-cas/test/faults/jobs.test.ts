import { SIMULATED_ERRNO, SimulatedDisk, type SimulatedErrnoName } from "@mesh/testkit/simulated-disk";
import { describe, expect, it } from "vitest";
import { type Effect, isChanging } from "../../src/effects.ts";
import { SkillCasError } from "../../src/error.ts";
import { parseEntryName, stageName } from "../../src/layout.ts";
import { OWNER } from "../simulation/interpreter.ts";
import { ACTIONS, type Content, contentOf, type Job, type JobKind, type Said, stepsOfJob } from "../simulation/jobs.ts";
import { APPLICABLE } from "./applicable.ts";
import { type Attempted, NO_FAULT, runFaulty, type SimulatedFault, SYSTEM_CALLS } from "./simulated-run.ts";

// Guarantee 3: any errno that applies, from any effect of every changing job, once and for ever.

const FIRST = contentOf(new Uint8Array([0x61, 0x62, 0x63]));
const SECOND = contentOf(new Uint8Array([0, 1]));

interface Case {
  readonly kind: JobKind;
  readonly contents: readonly Content[];
  readonly begin: () => SimulatedDisk;
}

function diskOf(entries: Readonly<Record<string, Uint8Array>>): SimulatedDisk {
  const disk = new SimulatedDisk();
  for (const [name, bytes] of Object.entries(entries)) {
    disk.place(name, { kind: "regular", owner: OWNER, mode: 0o600, bytes, durable: true });
  }
  return disk;
}

const STAGE = stageName(FIRST.address.digest, ACTIONS[1] ?? "");
const staged = (): SimulatedDisk => diskOf({ [STAGE]: FIRST.bytes });
function unfinished(): SimulatedDisk {
  const disk = staged();
  const stage = disk.lookUp(STAGE);
  if (stage !== undefined) disk.addName(FIRST.address.digest, stage);
  return disk;
}

const CASES: Readonly<Record<string, Case>> = {
  "a put": { kind: "put", contents: [FIRST], begin: () => new SimulatedDisk() },
  "a put of what is there": {
    kind: "put",
    contents: [FIRST],
    begin: () => diskOf({ [FIRST.address.digest]: FIRST.bytes }),
  },
  "a batch": { kind: "batch", contents: [FIRST, SECOND], begin: () => new SimulatedDisk() },
  "a recovery of a stage": { kind: "recover", contents: [FIRST], begin: staged },
  "a recovery of an unfinished object": { kind: "recover", contents: [FIRST], begin: unfinished },
  "a sweep of a stage": { kind: "sweep", contents: [FIRST], begin: staged },
  "a sweep of nothing": { kind: "sweep", contents: [FIRST], begin: () => new SimulatedDisk() },
  "a quarantine": {
    kind: "quarantine",
    contents: [FIRST],
    begin: () => diskOf({ [FIRST.address.digest]: new Uint8Array([9]) }),
  },
};

function run(
  disk: SimulatedDisk,
  { contents }: Case,
  kind: JobKind,
  fault: SimulatedFault,
): Attempted<readonly Said[]> {
  const job: Job = { kind, content: 0, action: 0, patience: "try" };
  return runFaulty(disk, stepsOfJob(job, contents), fault, kind === "quarantine" ? 400 : 2);
}

/** The errors of a run: its own, or those of a batch's items. */
function errorsOf(attempted: Attempted<readonly Said[]>): SkillCasError[] {
  if (attempted.kind === "failed") return [attempted.error];
  return attempted.value.map(({ why }) => why).filter((why) => why instanceof SkillCasError);
}

const exactOf = (attempted: Attempted<readonly Said[]>): number =>
  attempted.kind === "returned" ? attempted.value.filter(({ state }) => state === "exact").length : 0;

/** A failure that is none of the job: a lock that stays, which is a warning, or whose creator may be setting its mode. */
function isAdvisory(attempted: Attempted<readonly Said[]>, effect: Effect["kind"], errno: SimulatedErrnoName): boolean {
  const warned = attempted.kind === "returned" && attempted.value.some(({ why }) => warningOf(why).includes(errno));
  return warned || (effect === "createLock" && errno === "EACCES");
}

function warningOf(why: unknown): string {
  const warning: unknown = typeof why === "object" && why !== null ? Reflect.get(why, "warning") : undefined;
  return typeof warning === "string" ? warning : "";
}

/** What may be a symbolic link that was just put there is judged, not an error of the disk. */
function isSwapped(error: SkillCasError | undefined, effect: Effect["kind"], errno: SimulatedErrnoName): boolean {
  return effect === "open" && errno === "ELOOP" && (error === undefined || error.code === "NOTHING_TO_QUARANTINE");
}

/** What a fresh handle must make of it: the row of section 15 is told by what is on the disk, and by nothing else. */
function expectFreshHandleFinishes(disk: SimulatedDisk, one: Case, where: string): void {
  if (one.kind === "quarantine") {
    const again = run(disk, one, "quarantine", NO_FAULT);
    const code = again.kind === "failed" ? again.error.code : "moved";
    expect(["moved", "NOTHING_TO_QUARANTINE"], where).toContain(code);
    expect(exactOf(run(disk, one, "put", NO_FAULT)), where).toBe(1);
  }
  for (const [content, { address, bytes }] of one.contents.entries()) {
    const isWhole = [...disk.names].some(
      ([key, inode]) =>
        ["object", "stage"].includes(parseEntryName(key).kind) &&
        key.includes(address.digest) &&
        Buffer.from(disk.inode(inode).bytes).equals(bytes),
    );
    const steps = stepsOfJob({ kind: "sweep", content, action: 0, patience: "try" }, one.contents);
    const fresh = runFaulty(disk, steps, NO_FAULT);
    expect(fresh, where).toMatchObject({ kind: "returned", value: [{ state: isWhole ? "exact" : "absent" }] });
    expect(
      [...disk.names.keys()].filter((key) => parseEntryName(key).kind === "stage" && key.includes(address.digest)),
    ).toEqual([]);
  }
}

describe.each(Object.entries(CASES))("%s", (_name, one) => {
  const effects = run(one.begin(), one, one.kind, NO_FAULT).effects;

  it("fails with errno, system call and effect once, never says exact, and a fresh handle ends where it must", () => {
    expect(effects.length).toBeGreaterThan(5);
    for (const [index, { kind }] of effects.entries()) {
      for (const errno of APPLICABLE[kind]) {
        const disk = one.begin();
        const where = `${errno} from ${kind} at ${index}`;
        const attempted = run(disk, one, one.kind, (_effect, now) => (now === index ? errno : undefined));
        const [error, ...others] = errorsOf(attempted);
        if (isAdvisory(attempted, kind, errno)) {
          expect(attempted.kind, where).toBe("returned");
        } else if (isSwapped(error, kind, errno)) {
          expect(exactOf(attempted), where).toBeLessThan(one.contents.length);
        } else {
          expect(exactOf(attempted), where).toBe(kind === "syncDirectory" ? 0 : one.contents.length - 1);
          expect(others, where).toHaveLength(kind === "syncDirectory" ? one.contents.length - 1 : 0);
          expectNamed(error, kind, errno, where);
        }
        expectFreshHandleFinishes(disk, one, where);
      }
    }
  });

  it("fails with the same reason from every handle for as long as it lasts, and a fresh one finishes afterwards", () => {
    const kinds = new Set(effects.filter(isChanging).map(({ kind }) => kind));
    for (const kind of kinds) {
      for (const errno of APPLICABLE[kind]) {
        const disk = one.begin();
        const where = `${errno} from every ${kind}`;
        const always: SimulatedFault = (effect) => (effect.kind === kind ? errno : undefined);
        const reasons = [1, 2, 3].map(() => {
          const attempted = run(disk, one, one.kind, always);
          const errors = errorsOf(attempted);
          expect(exactOf(attempted), where).toBe(0);
          if (kind === "removeLock") {
            expect(isAdvisory(attempted, kind, errno), where).toBe(true);
          } else {
            expect(errors, where).toHaveLength(one.contents.length);
          }
          for (const { facts } of errors) expect(facts["errnoName"], where).toBe(errno);
          return errors.map(({ code, facts }) => [code, facts["errnoName"]].join(" "));
        });
        // The first handle may fail before there is a stage, the next ones on the copy of it: the reason is the same.
        expect(reasons[1], where).toEqual(reasons[0]);
        expect(reasons[2], where).toEqual(reasons[0]);
        expectFreshHandleFinishes(disk, one, where);
      }
    }
  });
});

function expectNamed(
  error: SkillCasError | undefined,
  effect: Effect["kind"],
  errno: SimulatedErrnoName,
  where: string,
): void {
  expect(["SYNC_FAILED", "EFFECT_FAILED", "LOCK_UNSAFE"], `${where}: ${String(error)}`).toContain(error?.code);
  expect(error?.facts["errnoName"], where).toBe(errno);
  if (error?.code === "LOCK_UNSAFE") return;
  const syscall = SYSTEM_CALLS[effect];
  expect(error?.facts, where).toMatchObject({ errno: SIMULATED_ERRNO[errno], effect, syscall });
  expect(error?.code === "SYNC_FAILED", where).toBe(effect.startsWith("sync"));
}
