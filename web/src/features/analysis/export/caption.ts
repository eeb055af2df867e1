/** What is written above an exported picture, and on the second sheet of a workbook. */
export interface Caption {
  title: string;
  /** The range, the zone, the resolution and what is compared. */
  lines: readonly string[];
}
