/** The device that a history is of, and what it is called. */
export interface HistoryDevice {
  deviceName: string;
  noteName: string;
  productName: string;
}
