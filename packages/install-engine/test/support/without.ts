/** An object without one of its members. */
export function without<Value extends object, Key extends keyof Value>(value: Value, key: Key): Omit<Value, Key> {
  const rest = { ...value };
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the copy is ours, and the key is a parameter
  delete rest[key];
  return rest;
}
