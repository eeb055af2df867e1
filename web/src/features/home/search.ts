export interface HomeSearch {
  /** The deviceName of the selected device. */
  device?: string;
}

/** What the address of the home page may hold. */
export function homeSearch({ device }: Record<string, unknown>): HomeSearch {
  // A name of digits alone comes out of the address as a number.
  if (typeof device === 'number') return { device: String(device) };
  return typeof device === 'string' && device !== '' ? { device } : {};
}
