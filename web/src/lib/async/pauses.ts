const workMs = 5;

/**
 * For long work in small steps: between them, the returned function lets the browser handle taps, keys
 * and frames, once it has worked for 5 ms.
 */
export function pauses(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < workMs) return undefined;
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        began = performance.now();
        resolve();
      };
      port2.postMessage(null);
    });
  };
}
