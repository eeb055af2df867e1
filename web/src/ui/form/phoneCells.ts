/**
 * On a phone the popup is as wide as the screen, and its calendar must leave room for the hours
 * below.
 */
export const phoneCells = {
  components: { DatePicker: { cellHeight: 34, cellWidth: 48, timeColumnHeight: 112, timeCellHeight: 32 } },
};
