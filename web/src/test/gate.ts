/** A promise that the test settles when it wants. */
export function gate<T = void>() {
  let open: (value: T) => void = () => undefined;
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
