import { useId } from 'react';
import { Panel } from '../Panel';
import css from './DayChart.module.css';
import { degrees, hourOfDay, newest, temperatures, wholeDegrees, words } from './sample';

const width = 720;
const height = 240;
const lowest = 4;
const highest = 24;

/** Time runs in writing direction: the day begins at the right edge. */
const x = (hour: number) => width - (hour / 24) * width;
const y = (value: number) => height - ((value - lowest) / (highest - lowest)) * height;

const line = temperatures.map(({ hour, value }) => `${x(hour).toFixed(1)} ${y(value).toFixed(1)}`).join('L');
const values = temperatures.map(({ value }) => value);

/** The temperature of one day as an area; the text above it describes the chart. */
export function DayChart() {
  const fill = useId();
  const range = words.range
    .replace('{low}', degrees(Math.min(...values)))
    .replace('{high}', degrees(Math.max(...values)));
  return (
    <Panel title={words.temperature} aside={<span className={css.aside}>{words.lastDay}</span>} className={css.panel}>
      <p className={css.now}>{degrees(newest)}</p>
      <p className={css.range}>{range}</p>
      <div className={css.plot} aria-hidden="true">
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" className={css.chart} aria-hidden="true">
          <linearGradient id={fill} x2="0" y2="1">
            <stop className={css.above} />
            <stop offset="1" className={css.below} />
          </linearGradient>
          {[8, 12, 16, 20].map((value) => (
            <path key={value} className={css.grid} d={`M0 ${y(value)}H${width}`} />
          ))}
          <path d={`M${line}V${height}H${width}Z`} fill={`url(#${fill})`} />
          <path className={css.line} d={`M${line}`} />
        </svg>
        {[8, 12, 16, 20].map((value) => (
          <span key={value} className={css.scale} style={{ top: `${(y(value) / height) * 100}%` }}>
            {wholeDegrees(value)}
          </span>
        ))}
      </div>
      <div className={css.hours} aria-hidden="true">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{hourOfDay(hour % 24)}</span>
        ))}
      </div>
    </Panel>
  );
}
