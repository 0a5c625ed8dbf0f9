import type {
  HeldInstallDriver,
  InstallDriverFactory,
  InstallDriverObservation,
  InstallDriverRequest,
} from "../../src/index.ts";
import { skillObservationDigest } from "../../src/index.ts";

/**
 * A place that holds texts by their digest: the world of the engine's own tests. It outlives engines and journals, as a
 * disk does. The real store and its driver are tested with the engine in the packages above this one.
 */
export class Shelf {
  readonly texts = new Map<string, string>();
  readonly appliesByAction = new Map<string, number>();
  /** Actions for which the exact text was seen. */
  readonly exactlySeen = new Set<string>();
  applyCalls = 0;
  reconcileCalls = 0;
  connectCalls = 0;
  releaseCalls = 0;
}

/** What a step of a driver does instead of its work. Only for what a driver must be able to do wrong. */
export interface ShelfFaults {
  readonly connect?: (request: InstallDriverRequest) => unknown;
  /** Called after `wrote` says whether the text was put on the shelf. */
  readonly apply?: { readonly before?: () => void; readonly wrote: boolean; readonly fail: () => void };
  /** Called before it really looks. */
  readonly look?: () => void | Promise<void>;
  readonly reconcile?: () => unknown;
  readonly release?: () => void;
}

/** A driver over a shelf: puts the body there, and answers what it sees. */
export function shelfDriverFactory(options: {
  readonly shelf: Shelf;
  readonly body: (request: InstallDriverRequest) => string;
  readonly absenceProves?: InstallDriverFactory["absenceProves"];
  readonly faults?: ShelfFaults;
}): InstallDriverFactory {
  const { shelf, faults = {} } = options;
  return {
    absenceProves: options.absenceProves ?? "not-applied",
    connect: async (request) => {
      shelf.connectCalls += 1;
      await faults.connect?.(request);
      return heldDriver(request, options);
    },
  };
}

function heldDriver(
  request: InstallDriverRequest,
  { shelf, body, faults = {} }: Parameters<typeof shelfDriverFactory>[0],
): HeldInstallDriver {
  const { actionId } = request.action;
  const { resultMaterial } = request.action.payload;
  return {
    applyOnce: async () => {
      faults.apply?.before?.();
      shelf.applyCalls += 1;
      shelf.appliesByAction.set(actionId, (shelf.appliesByAction.get(actionId) ?? 0) + 1);
      if (faults.apply?.wrote !== false) {
        shelf.texts.set(resultMaterial.contentSha256, body(request));
      }
      faults.apply?.fail();
      await Promise.resolve();
    },
    reconcile: async () => {
      shelf.reconcileCalls += 1;
      await Promise.resolve();
      if (faults.reconcile !== undefined) {
        return faults.reconcile() as InstallDriverObservation;
      }
      await faults.look?.();
      const observation = observe(shelf, request, body);
      if (observation.state === "installed-exact") {
        shelf.exactlySeen.add(actionId);
      }
      return observation;
    },
    [Symbol.asyncDispose]: async () => {
      shelf.releaseCalls += 1;
      faults.release?.();
      await Promise.resolve();
    },
  };
}

/** What the shelf shows of the material of a request. */
export function observe(
  shelf: Shelf,
  request: InstallDriverRequest,
  body: (request: InstallDriverRequest) => string,
): InstallDriverObservation {
  const { resultMaterial } = request.action.payload;
  const found = shelf.texts.get(resultMaterial.contentSha256);
  const state = found === undefined ? "absent" : found === body(request) ? "installed-exact" : "conflict";
  const verificationDigest = skillObservationDigest({
    bindingDigest: request.binding.bindingDigest,
    materialIdentityDigest: resultMaterial.identityDigest,
    state,
  });
  return state === "installed-exact"
    ? { state, verificationDigest, observedMaterialIdentityDigest: resultMaterial.identityDigest }
    : { state, verificationDigest };
}
