import type { Model, Runtime } from "@mesh/ffi/runtime";
import { type ModelOpenObservation, observeModelOpen, type RuntimeEvent } from "@mesh/runtime-events";

/** How many events of one kind arrived in a row. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
}

/** What was seen of one open, whether it gave a model or not. */
export interface SeenOpen {
  readonly observation: ModelOpenObservation;
  /** Kinds in the order in which they arrived; a run of equal kinds is one entry. */
  readonly kinds: readonly KindCount[];
}

/** An open model and what was seen of its open. */
export interface OpenedModel extends SeenOpen {
  readonly model: Model;
}

/** What to open, and who looks on. */
export interface OpenModelOptions {
  /** One file, or the parts of a split model in order. */
  readonly paths: readonly string[];
  /**
   * Reads the file instead of mapping it, so that progress is spread over the read. Mapped, which is the default, the
   * runtime reports all of its progress in one burst at the end.
   */
  readonly spreadProgress: boolean;
  readonly signal: AbortSignal;
  /** Gets every event; `opening` is true while the native open has not returned. */
  readonly onEvent?: (event: RuntimeEvent, opening: boolean) => void;
  /** Told what was seen before an error of the open is thrown. */
  readonly onFailure?: (seen: SeenOpen) => void;
}

/**
 * Opens a model and watches it to the end.
 *
 * @throws FfiError of the open, untouched: an observation never decides.
 */
export async function openModel(runtime: Runtime, options: OpenModelOptions): Promise<OpenedModel> {
  const { paths, signal, onEvent, onFailure } = options;
  const kinds: { kind: string; count: number }[] = [];
  const [first] = paths;
  const files = paths.length === 1 && first !== undefined ? { path: first } : { parts: paths };
  const { result, observation } = await observeModelOpen(
    runtime,
    { ...files, signal, config: options.spreadProgress ? { useMmap: false } : {} },
    {
      onEvent: (event, opening) => {
        const last = kinds.at(-1);
        if (last?.kind === event.kind) last.count += 1;
        else kinds.push({ kind: event.kind, count: 1 });
        onEvent?.(event, opening);
      },
    },
  );
  const seen = { observation, kinds };
  if (result.kind === "opened") return { ...seen, model: result.model };
  onFailure?.(seen);
  throw result.error;
}
