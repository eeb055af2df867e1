/** Faults that are known and not mended yet. Who mends one takes it out of here. */
export const knownFaults: readonly RegExp[] = [
  // A value with the longest unit leaves the row of its card, of the history's figures and of the device's sheet.
  /^cut off: span\._(reading|unit|value)_\S* .*kg CO₂ equivalent per ha and day/,
  // Beside such a value a name of the card is cut without an ellipsis.
  /^cut off: span\._two_/,
  // In the table of readings on a phone two chips of one device do not fit.
  /^cut off: span\._state_/,
  // On a phone the line below a device's name, and the name of the chosen scene, are shortened without a title.
  /^cut off: span\._under_/,
  /^cut off: span\._name_\S* +"(\[Ţĥîš šçéñé|This scene|Этой сцены|此场景|Bu sahne)/,
  // Labels of antd's parts, which screen readers say in English.
  /^untranslated: (segmented control|ellipsis|search)$/,
];
