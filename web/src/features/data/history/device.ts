/** The device whose history is shown, and its title. */
export interface HistoryDevice {
  deviceName: string;
  noteName: string;
  productName: string;
  /** The identifier of the property that lists show; empty: it has none. */
  mainSign: string;
}
