import type { ErrorFact } from "./error.ts";
import type { InstallCapabilityAction } from "./types/action.ts";
import type { InstallExecutionBinding } from "./types/execution-binding.ts";
import type { InstallPlanDescriptor } from "./types/install-plan-descriptor.ts";

/** What a driver is connected for. The material to install is `action.payload.resultMaterial`. */
export interface InstallDriverRequest {
  readonly action: InstallCapabilityAction;
  readonly descriptor: InstallPlanDescriptor;
  readonly binding: InstallExecutionBinding;
  /** The caller's signal of `execute`, if it gave one. A driver that waits should stop with its AbortError. */
  readonly signal?: AbortSignal;
}

/** Why an observation is not `installed-exact`: a stable code and plain facts. */
export interface InstallReason {
  /** Lower-case token, for example `sync-failed`. */
  readonly code: string;
  readonly facts: Readonly<Record<string, ErrorFact>>;
}

/** What a driver saw when it looked at the world (spec 3). */
export interface InstallDriverObservation {
  /**
   * `installed-exact`: exactly the material is there. `absent`: nothing of it is there, verified. `conflict`: something
   * else is there. `indeterminate`: it could not be told.
   */
  readonly state: "installed-exact" | "absent" | "conflict" | "indeterminate";
  /** Digest that covers state, binding and material; always present. */
  readonly verificationDigest: string;
  /** Present if and only if the state is `installed-exact`. */
  readonly observedMaterialIdentityDigest?: string;
  readonly reason?: InstallReason;
}

/** One connected driver, for one action. Disposed exactly once, whatever happened. */
export interface HeldInstallDriver extends AsyncDisposable {
  /**
   * Makes the material present. The engine calls it at most once in the life of an action, in the process that won the
   * claim. An error is no verdict: the engine looks at the world afterwards.
   */
  applyOnce(): Promise<void>;
  /** Looks at the world, finishing or removing what an interrupted apply left. Called in every run. */
  reconcile(): Promise<InstallDriverObservation>;
}

/** Connects drivers. One factory serves every action of its registration. */
export interface InstallDriverFactory {
  /**
   * What an `absent` observation proves (issue "Liveness"). `not-applied`: the driver looks under its own lock at
   * everything an apply can leave, so absence means that nothing happened, and the install may be offered again.
   * `nothing`: absence may hide an effect, so the descriptor is blocked.
   */
  readonly absenceProves: "not-applied" | "nothing";
  /** Connects for one action. Called after the claim is durable, never before. */
  connect(request: InstallDriverRequest): Promise<HeldInstallDriver>;
}

/**
 * The place a driver writes to, as facts beside the claim. `id` is random and lives in the place itself, so that a
 * renumbered device (remount, restored backup) can be told from another place. Device and inode are decimal texts: they
 * can exceed what a JavaScript number keeps.
 */
export interface InstallTarget {
  readonly id: string;
  readonly path: string;
  readonly device: string;
  readonly inode: string;
}
