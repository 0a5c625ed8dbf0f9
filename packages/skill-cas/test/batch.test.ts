import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inStep, type Settled } from "../src/batch.ts";
import { perform, type Step, type Steps } from "../src/effects.ts";

/** An algorithm of our own: performs unlinks by name, with syncs of the root between, and fails where told to. */
function* member(name: string, pieces: readonly number[]): Steps<string> {
  for (const [round, unlinks] of pieces.entries()) {
    for (let index = 0; index < unlinks; index += 1) {
      yield* perform({ kind: "unlink", name: `${name}/${round}/${index}` });
    }
    if (round < pieces.length - 1) yield* perform({ kind: "syncDirectory" });
  }
  return name;
}

/** Runs steps to the end, failing those that `fails` names, and returns what was done and what came of it. */
function drive<T>(steps: Steps<T>, fails: (step: Step) => boolean = () => false): { value: T; done: Step[] } {
  const done: Step[] = [];
  let state = steps.next();
  while (state.done !== true) {
    done.push(state.value);
    state = fails(state.value) ? steps.throw(new Error("refused")) : steps.next(undefined);
  }
  return { value: state.value, done };
}

const named = (step: Step): string => ("name" in step ? step.name : step.kind);

describe("algorithms in step", () => {
  it("any of them: each keeps its own order, and makes as many syncs as the longest would alone", () => {
    const shapes = fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(shapes, (members) => {
        const { value, done } = drive(inStep(members.map((pieces, index) => member(`${index}`, pieces))));
        expect(value).toEqual(members.map((_, index) => ({ kind: "returned", value: `${index}` })));
        const syncs = done.filter(({ kind }) => kind === "syncDirectory").length;
        expect(syncs).toBe(Math.max(...members.map(({ length }) => length)) - 1);
        for (const [index, pieces] of members.entries()) {
          const alone = drive(member(`${index}`, pieces)).done.filter(({ kind }) => kind !== "syncDirectory");
          expect(done.map(named).filter((name) => name.startsWith(`${index}/`))).toEqual(alone.map(named));
        }
        // What comes after the n-th sync of a member comes after the n-th sync of all.
        let rounds = 0;
        for (const name of done.map(named)) {
          if (name === "syncDirectory") rounds += 1;
          else expect(Number(name.split("/")[1])).toBe(rounds);
        }
      }),
    );
  });

  it("a step that fails is the failure of its member alone, which may catch it", () => {
    function* catching(): Steps<string> {
      try {
        yield* perform({ kind: "unlink", name: "refused" });
      } catch {
        return "caught";
      }
      return "not refused";
    }
    const { value } = drive(
      inStep([member("a", [1, 1]), member("refused", [1, 1]), catching(), member("b", [1, 1])]),
      (step) => named(step).startsWith("refused"),
    );
    expect(value).toMatchObject([
      { kind: "returned", value: "a" },
      { kind: "failed", error: { message: "refused" } },
      { kind: "returned", value: "caught" },
      { kind: "returned", value: "b" },
    ]);
  });

  it("the merged sync that fails is everybody's failure, and nobody's who was done before it", () => {
    const { value } = drive(inStep([member("a", [1, 1]), member("done", [1]), member("b", [1, 1])]), (step) => {
      return step.kind === "syncDirectory";
    });
    expect(value.map(({ kind }) => kind)).toEqual(["failed", "returned", "failed"]);
  });

  describe("that write files", () => {
    const HANDLES = [1, 2, 3];

    function* writer(handle: number): Steps<number> {
      yield* perform({ kind: "write", handle, bytes: new Uint8Array(1), position: 0 });
      yield* perform({ kind: "syncFile", handle, name: String(handle) });
      yield* perform({ kind: "syncDirectory" });
      return handle;
    }

    const writers = (): Steps<readonly Settled<number>[]> => inStep(HANDLES.map(writer));
    const WANTED = [
      ...HANDLES.flatMap((handle) => [`write ${handle}`, `startWriteback ${handle}`]),
      ...HANDLES.map((handle) => `syncFile ${handle}`),
      "syncDirectory root",
    ];
    const written = (step: Step): string => `${step.kind} ${"handle" in step ? step.handle : "root"}`;

    it("write all, begin to write each back, and only then sync each by itself and the root once", () => {
      expect(drive(writers()).done.map(written)).toEqual(WANTED);
    });

    it("do the same where nothing begins to be written back: that is advice", () => {
      const { value, done } = drive(writers(), ({ kind }) => kind === "startWriteback");
      expect(done.map(written)).toEqual(WANTED);
      expect(value).toEqual(HANDLES.map((handle) => ({ kind: "returned", value: handle })));
    });

    it("fail alone where their own sync fails", () => {
      const { value } = drive(writers(), (step) => step.kind === "syncFile" && step.handle === 2);
      expect(value.map(({ kind }) => kind)).toEqual(["returned", "failed", "returned"]);
    });
  });

  it("a sync of another directory is a step of its own", () => {
    function* inner(): Steps<undefined> {
      return yield* perform({ kind: "syncDirectory", directory: 7 });
    }
    expect(drive(inStep([inner(), inner()])).done).toHaveLength(2);
  });
});
