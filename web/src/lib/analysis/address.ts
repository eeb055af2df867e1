/** What the analysis page is opened with. */
export interface AnalysisTarget {
  /** Names of devices. */
  devices: readonly string[];
  /** Identifiers of attributes; without any, the page chooses. */
  signs?: readonly string[];
  /** Epoch milliseconds; without it, the page's usual range up to now. */
  span?: { from: number; to: number };
}

/** The page's search parameters for it. */
export function analysisAddress({ devices, signs = [], span }: AnalysisTarget) {
  return {
    devices: devices.join(','),
    ...(signs.length > 0 ? { signs: signs.join(',') } : {}),
    ...(span ? { from: Math.floor(span.from), to: Math.ceil(span.to) } : {}),
  };
}
