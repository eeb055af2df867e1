/** Ranges of the analysis page; all end now. */
export const presets = ['hour', 'day', 'week', 'month', 'season', 'year', 'all'] as const;
export type Preset = (typeof presets)[number];
