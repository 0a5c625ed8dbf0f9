/** How an open ended: with a model, with an error, or because the caller's signal ended it. */
export type ModelOpenResult<Opened> =
  | { readonly kind: "opened"; readonly model: Opened }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "cancelled"; readonly error: Error };

/** Waits for an open and keeps its outcome as a value, so that the observation can travel beside it. */
export async function openResult<Opened>(open: () => Promise<Opened>): Promise<ModelOpenResult<Opened>> {
  try {
    return { kind: "opened", model: await open() };
  } catch (error) {
    // A cancellation is told by the name that the native boundary gives it from its own flag, never by a native text; not by
    // `instanceof` either, because a process may hold the boundary's classes twice, as ES module and as CommonJS.
    if (error instanceof Error && error.name === "AbortError") return { kind: "cancelled", error };
    return { kind: "failed", error };
  }
}
