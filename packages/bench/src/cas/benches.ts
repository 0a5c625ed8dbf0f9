import type { Bench } from "../harness/bench.ts";
import { versusCBenches } from "./versus-c.ts";

/** The store's benches. */
export const casBenches: readonly Bench[] = [...versusCBenches];
