/**
 * Sizes in pixels. A sensor's card is one cell high and wide; a camera's card is two cells high and
 * wide if there are two columns or more.
 */
export interface Measures {
  width: number;
  /** The height of a sensor's card. */
  cell: number;
  gap: number;
  leastColumn: number;
  /** The height of a camera's card, at most that of its cells; its picture has 68 less. */
  video: number;
  /** The height of a camera's card if there is only one column. */
  singleVideo: number;
  /** Cameras come after the sensors on a phone and before them elsewhere. */
  videosLast: boolean;
}

export interface Place {
  top: number;
  left: number;
  width: number;
  height: number;
}

/** A range of cards, from `from` up to but not including `to`. */
export interface Span {
  from: number;
  to: number;
}

export interface Layout {
  height: number;
  /** The height of a row with its gap. */
  step: number;
  video: (index: number) => Place;
  sensor: (index: number) => Place;
  /** The cards that are at least partly between two heights of the grid. */
  within: (top: number, bottom: number) => { videos: Span; sensors: Span };
}

export function columnsFor({ width, gap, leastColumn }: Measures): number {
  return Math.max(1, Math.floor((width + gap) / (leastColumn + gap)));
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value));

/**
 * Calculates the position of each card from counts alone: ten thousand cards cost as much as ten.
 */
export function layout(videos: number, sensors: number, measures: Measures): Layout {
  return columnsFor(measures) === 1
    ? singleColumn(videos, sensors, measures)
    : severalColumns(videos, sensors, measures);
}

function singleColumn(videos: number, sensors: number, measures: Measures): Layout {
  const { width, cell, gap, singleVideo, videosLast } = measures;
  const sensorStep = cell + gap;
  const videoStep = singleVideo + gap;
  const videoTop = videosLast ? sensors * sensorStep : 0;
  const sensorTop = videosLast ? 0 : videos * videoStep;
  const span = (count: number, start: number, step: number, top: number, bottom: number): Span => ({
    from: clamp(Math.floor((top - start) / step), count),
    to: clamp(Math.ceil((bottom - start) / step), count),
  });
  return {
    height: Math.max(0, videos * videoStep + sensors * sensorStep - gap),
    step: sensorStep,
    video: (index) => ({ top: videoTop + index * videoStep, left: 0, width, height: singleVideo }),
    sensor: (index) => ({ top: sensorTop + index * sensorStep, left: 0, width, height: cell }),
    within: (top, bottom) => ({
      videos: span(videos, videoTop, videoStep, top, bottom),
      sensors: span(sensors, sensorTop, sensorStep, top, bottom),
    }),
  };
}

/**
 * Places cameras in bands of two rows at the top, and sensors in the columns that a band leaves and
 * then below. Only the last band may hold fewer cameras and so leave more columns than the others.
 */
function severalColumns(videos: number, sensors: number, measures: Measures): Layout {
  const { width, cell, gap } = measures;
  const columns = columnsFor(measures);
  const column = (width - (columns - 1) * gap) / columns;
  const step = cell + gap;
  const perBand = Math.floor(columns / 2);
  const bands = Math.ceil(videos / perBand);
  const inBand = (band: number) => Math.min(perBand, videos - band * perBand);
  /** How many columns a band leaves to sensors. */
  const left = (band: number) => columns - 2 * inBand(band);
  const fullBands = Math.floor(videos / perBand);
  const perFullBand = 2 * (columns - 2 * perBand);
  const besideLast = bands > fullBands ? 2 * left(fullBands) : 0;
  const beside = fullBands * perFullBand + besideLast;
  const below = Math.max(0, sensors - beside);

  const at = (row: number, columnAt: number, size: number): Place => ({
    top: row * step,
    left: columnAt * (column + gap),
    width: size * column + (size - 1) * gap,
    height: size === 1 ? cell : Math.min(measures.video, size * cell + (size - 1) * gap),
  });

  function sensor(index: number): Place {
    if (index >= beside) {
      const rest = index - beside;
      return at(2 * bands + Math.floor(rest / columns), rest % columns, 1);
    }
    const band = perFullBand > 0 ? Math.min(fullBands, Math.floor(index / perFullBand)) : fullBands;
    const inside = index - band * perFullBand;
    const wide = left(band);
    return at(2 * band + Math.floor(inside / wide), 2 * inBand(band) + (inside % wide), 1);
  }

  /** How many sensors are above a row. */
  function sensorsAbove(row: number): number {
    if (row >= 2 * bands) return beside + (row - 2 * bands) * columns;
    const band = Math.floor(row / 2);
    return Math.min(band, fullBands) * perFullBand + (row % 2) * left(band);
  }

  const rows = 2 * bands + Math.ceil(below / columns);
  return {
    height: Math.max(0, rows * step - gap),
    step,
    video: (index) => at(2 * Math.floor(index / perBand), 2 * (index % perBand), 2),
    sensor,
    within: (top, bottom) => {
      const first = clamp(Math.floor(top / step), rows);
      const last = clamp(Math.ceil(bottom / step), rows);
      return {
        videos: {
          from: clamp(Math.floor(first / 2) * perBand, videos),
          to: clamp(Math.ceil(last / 2) * perBand, videos),
        },
        sensors: { from: clamp(sensorsAbove(first), sensors), to: clamp(sensorsAbove(last), sensors) },
      };
    },
  };
}
