import { randomUUID } from "node:crypto";

/** Identities of each sort that are remembered at once; the one not used for longest gives way. */
export const IDENTITIES_MAX = 256;

/** A bounded map from native addresses to random names. */
class IdentityMap {
  readonly #prefix: string;
  readonly #names = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#names.size;
  }

  nameOf(key: string): string {
    const name = this.#names.get(key) ?? `${this.#prefix}-${randomUUID()}`;
    // Setting anew moves the key to the end of the map's order, which is therefore the order of last use.
    this.#names.delete(key);
    this.#names.set(key, name);
    const oldest = this.#names.keys().next();
    if (this.#names.size > IDENTITIES_MAX && oldest.done !== true) this.#names.delete(oldest.value);
    return name;
  }

  forget(matches: (key: string) => boolean): void {
    for (const key of this.#names.keys()) if (matches(key)) this.#names.delete(key);
  }
}

/**
 * Gives native models and sessions random names in place of their addresses, which never leave the host: an address tells about
 * the memory of the process, and a later model may get the same one. A name holds as long as its object: it is released when the
 * model is unloaded, and a session that is made anew gets a new one.
 */
export class OpaqueIdentities {
  readonly #models = new IdentityMap("native-model");
  readonly #sessions = new IdentityMap("native-session");

  /** Name of a model; undefined for 0, which means none. */
  model(modelId: bigint): string | undefined {
    return modelId === 0n ? undefined : this.#models.nameOf(modelId.toString());
  }

  /** Name of a session; undefined for 0. A session is known by its model and its own address together. */
  session(modelId: bigint, sessionId: bigint): string | undefined {
    return sessionId === 0n ? undefined : this.#sessions.nameOf(`${modelId.toString()}:${sessionId.toString()}`);
  }

  /** Forgets a model and its sessions: the address may belong to another model from now on. */
  releaseModel(modelId: bigint): void {
    const key = modelId.toString();
    this.#models.forget((known) => known === key);
    this.#sessions.forget((known) => known.startsWith(`${key}:`));
  }

  /** Forgets a session, because one was made anew at its address. */
  releaseSession(modelId: bigint, sessionId: bigint): void {
    const key = `${modelId.toString()}:${sessionId.toString()}`;
    this.#sessions.forget((known) => known === key);
  }

  /** How many names are remembered. */
  get size(): { readonly models: number; readonly sessions: number } {
    return { models: this.#models.size, sessions: this.#sessions.size };
  }
}
