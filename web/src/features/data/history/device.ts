/** The device whose history is shown, and its title. */
export interface HistoryDevice {
  deviceName: string;
  noteName: string;
  productName: string;
}
