import type { InstallDriverFactory, InstallTarget } from "./driver.ts";
import { InstallEngineError } from "./error.ts";
import { check } from "./parse.ts";
import type { InstallCapabilityAction } from "./types/action.ts";
import {
  createExecutionBinding,
  executionBindingSchema,
  INSTALLER_DIGEST,
  type InstallExecutionBinding,
} from "./types/execution-binding.ts";
import { type InstallableKind, installableKindSchema } from "./types/identifiers.ts";
import type { InstallPlanDescriptor } from "./types/install-plan-descriptor.ts";

/** One driver for one kind of capability, on one target (spec 3). */
export interface InstallDriverRegistration {
  readonly binding: InstallExecutionBinding;
  readonly capabilityKind: InstallableKind;
  readonly factory: InstallDriverFactory;
  /** Facts of the target, kept beside each claim so that a renumbered device can be told from another place. */
  readonly target?: InstallTarget;
}

/** What a registration is made from. */
export interface InstallDriverRegistrationInput {
  /** The installer id that descriptors name. */
  readonly driverId: string;
  readonly capabilityKind: InstallableKind;
  readonly factory: InstallDriverFactory;
  /** Who acts: digest of something that only this host has. */
  readonly hostIdentityDigest: string;
  /** Where it acts: digest of what makes the place this place, see `skillStoreTargetDigest`. */
  readonly targetIdentityDigest: string;
  readonly target?: InstallTarget;
}

/**
 * Makes a registration whose binding carries the only trusted driver digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createInstallDriverRegistration(input: InstallDriverRegistrationInput): InstallDriverRegistration {
  const { driverId, hostIdentityDigest, targetIdentityDigest, capabilityKind, factory, target } = input;
  return checkRegistration({
    binding: createExecutionBinding({
      driverId,
      driverDigest: INSTALLER_DIGEST,
      hostIdentityDigest,
      targetIdentityDigest,
    }),
    capabilityKind,
    factory,
    ...(target === undefined ? {} : { target }),
  });
}

/** The drivers of a host: immutable, and a pure look-up. */
export interface InstallDriverRegistry {
  readonly registrations: readonly InstallDriverRegistration[];
  /**
   * The registration that an action is for.
   *
   * @throws InstallEngineError DESCRIPTOR_SUBSTITUTED, DRIVER_NOT_REGISTERED, BINDING_SUBSTITUTED
   */
  resolve(action: InstallCapabilityAction, descriptor: InstallPlanDescriptor): InstallDriverRegistration;
}

/**
 * Makes a registry, of registrations or of what they are made from. The key is (driver id, capability kind): one installer may serve several kinds.
 *
 * @throws InstallEngineError INVALID_VALUE for a malformed or missing registration, DRIVER_DUPLICATE for a key that
 * occurs twice.
 */
export function createInstallDriverRegistry(
  registrations: readonly (InstallDriverRegistration | InstallDriverRegistrationInput)[],
): InstallDriverRegistry {
  if (registrations.length === 0) {
    throw new InstallEngineError({
      code: "INVALID_VALUE",
      message: "a driver registry needs at least one registration",
    });
  }
  const byKey = new Map<string, InstallDriverRegistration>();
  for (const registration of registrations) {
    const checked =
      "binding" in registration ? checkRegistration(registration) : createInstallDriverRegistration(registration);
    const key = keyOf(checked.binding.driverId, checked.capabilityKind);
    if (byKey.has(key)) {
      throw new InstallEngineError({
        code: "DRIVER_DUPLICATE",
        message: `two drivers are registered for ${key}; one of them would never run`,
        facts: { driverId: checked.binding.driverId, capabilityKind: checked.capabilityKind },
      });
    }
    byKey.set(key, checked);
  }
  return Object.freeze({
    registrations: Object.freeze([...byKey.values()]),
    resolve: (action: InstallCapabilityAction, descriptor: InstallPlanDescriptor) => resolve(byKey, action, descriptor),
  });
}

function resolve(
  byKey: ReadonlyMap<string, InstallDriverRegistration>,
  action: InstallCapabilityAction,
  descriptor: InstallPlanDescriptor,
): InstallDriverRegistration {
  if (action.payload.capabilityKind !== descriptor.kind) {
    throw new InstallEngineError({
      code: "DESCRIPTOR_SUBSTITUTED",
      message: `the action installs a ${action.payload.capabilityKind}, the descriptor is for a ${descriptor.kind}`,
      facts: { member: "kind", found: descriptor.kind, expected: action.payload.capabilityKind },
    });
  }
  const key = keyOf(descriptor.installerId, descriptor.kind);
  const registration = byKey.get(key);
  if (registration === undefined) {
    throw new InstallEngineError({
      code: "DRIVER_NOT_REGISTERED",
      message: `no driver is registered for ${key}; this registry has ${[...byKey.keys()].join(", ")}`,
      facts: { driverId: descriptor.installerId, capabilityKind: descriptor.kind },
    });
  }
  if (registration.binding.driverDigest !== action.payload.installerDigest) {
    throw new InstallEngineError({
      code: "BINDING_SUBSTITUTED",
      message: "the registered driver is not the one that the action trusts",
      facts: {
        member: "driver_digest",
        found: registration.binding.driverDigest,
        expected: action.payload.installerDigest,
      },
    });
  }
  return registration;
}

function checkRegistration(registration: InstallDriverRegistration): InstallDriverRegistration {
  const { factory, target } = registration;
  const binding = check(executionBindingSchema, registration.binding, "execution binding");
  const capabilityKind = check(installableKindSchema, registration.capabilityKind, "capability kind");
  if (typeof factory.connect !== "function" || !["not-applied", "nothing"].includes(factory.absenceProves)) {
    throw new InstallEngineError({
      code: "INVALID_VALUE",
      message: `the driver factory of ${binding.driverId} needs connect() and absenceProves "not-applied" or "nothing"`,
      facts: { field: "factory", driverId: binding.driverId },
    });
  }
  return Object.freeze({ binding, capabilityKind, factory, ...(target === undefined ? {} : { target }) });
}

function keyOf(driverId: string, capabilityKind: InstallableKind): string {
  return `(${driverId}, ${capabilityKind})`;
}
