/** What the steps of one demo run established, in order; it becomes the evidence. */
export interface DemoRecord {
  /** Notes what a step established, once it has. */
  add(name: string, value: string): void;
}
