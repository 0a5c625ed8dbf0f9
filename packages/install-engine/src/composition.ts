import { createInstallEngine, type InstallEngine } from "./engine.ts";
import type { JournalStore } from "./journal.ts";
import type { InstallDriverRegistry } from "./registry.ts";

/** How a host makes the parts of an install engine. */
export interface InstallCompositionOptions {
  /** Makes the drivers, re-authenticating every place they write to. Called first. */
  readonly openRegistry: () => Promise<OpenedRegistry>;
  /** Opens the journal. Not called if the registry could not be made. */
  readonly openJournal: () => Promise<JournalStore>;
  readonly hostDescriptorDigest?: string;
}

/** Drivers, with what they hold open. */
export interface OpenedRegistry {
  readonly registry: InstallDriverRegistry;
  readonly close?: () => Promise<void>;
}

/** Drivers, journal and engine with one owner. */
export interface InstallComposition extends AsyncDisposable {
  readonly registry: InstallDriverRegistry;
  readonly journal: JournalStore;
  readonly engine: InstallEngine;
  /** Closes engine, journal and drivers, in this order; again is harmless and gives the same promise. */
  close(): Promise<void>;
}

/**
 * Composes a host's installs (spec 12): the registry is made, and its places authenticated, before the journal exists,
 * so a changed place leaves no state behind.
 *
 * If several steps fail, the first error is thrown; those of the clean-up are in its `cleanupErrors`.
 */
export async function composeInstalls(options: InstallCompositionOptions): Promise<InstallComposition> {
  const opened = await options.openRegistry();
  let journal: JournalStore;
  try {
    journal = await options.openJournal();
  } catch (error) {
    throw withCleanup(error, await failuresOf([() => opened.close?.()]));
  }
  const { hostDescriptorDigest } = options;
  const engine = createInstallEngine({
    journal,
    ...(hostDescriptorDigest === undefined ? {} : { hostDescriptorDigest }),
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeAll([() => engine.close(), () => journal.close(), () => opened.close?.()]);
    return closing;
  };
  return Object.freeze({ registry: opened.registry, journal, engine, close, [Symbol.asyncDispose]: close });
}

type Step = () => Promise<void> | undefined;

async function closeAll(steps: readonly Step[]): Promise<void> {
  const [first, ...others] = await failuresOf(steps);
  if (first !== undefined) {
    throw withCleanup(first.error, others);
  }
}

/** Runs every step, also after one failed, so that nothing is left open because of another's error. */
async function failuresOf(steps: readonly Step[]): Promise<{ readonly error: unknown }[]> {
  const failures: { readonly error: unknown }[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push({ error });
    }
  }
  return failures;
}

/** The first error, with the others attached where it can carry them. */
function withCleanup(error: unknown, failures: readonly { readonly error: unknown }[]): unknown {
  if (error instanceof Error && failures.length > 0 && Object.isExtensible(error)) {
    Object.defineProperty(error, "cleanupErrors", {
      value: failures.map((failure) => failure.error),
      enumerable: false,
      configurable: true,
    });
  }
  return error;
}
