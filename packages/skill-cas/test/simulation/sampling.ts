import type { Parameters } from "fast-check";

/**
 * How a sampled run is repeated: fast-check prints seed and path of a failure, and
 * `MESH_SIMULATION_SEED=<seed> MESH_SIMULATION_PATH=<path>` plays exactly that one again. `MESH_SIMULATION_RUNS` sets
 * how many are played.
 */
export function sampling<T>(runs: number): Parameters<T> {
  const seed = process.env["MESH_SIMULATION_SEED"];
  const path = process.env["MESH_SIMULATION_PATH"];
  return {
    numRuns: Number(process.env["MESH_SIMULATION_RUNS"] ?? runs),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
    verbose: true,
  };
}
