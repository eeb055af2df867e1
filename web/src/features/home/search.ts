export interface HomeSearch {
  /** The deviceName of the selected device. */
  device?: string;
}

/** The search parameters of the home page. */
export function homeSearch({ device }: Record<string, unknown>): HomeSearch {
  // The router parses a name of digits alone as a number.
  if (typeof device === 'number') return { device: String(device) };
  return typeof device === 'string' && device !== '' ? { device } : {};
}
