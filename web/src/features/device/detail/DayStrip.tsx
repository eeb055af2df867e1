import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import css from './Coverage.module.css';
import { type Day, dayByKey } from './calendar';

const cell = 12;
const gap = 2;
const pitch = cell + gap;

/**
 * A calendar strip with a column a week. For the keyboard and screen readers it is a slider over
 * the days.
 */
export function DayStrip({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [at, setAt] = useState(days.length - 1);
  const frame = useRef<HTMLDivElement>(null);
  const columns = (days.at(-1)?.column ?? 0) + 1;
  const day = days[at];

  useEffect(() => {
    // Scrolls to the newest days, which users look for first.
    if (frame.current) frame.current.scrollLeft = frame.current.scrollWidth;
  }, []);

  const dayText = ({ time, covered }: Day) => {
    const name = format.day(time, now());
    if (!covered) return t('device.coverage.none', { day: name });
    const [from, to] = [format.time(covered.first), format.time(covered.last)];
    return t('device.coverage.day', { day: name, count: covered.frames, n: format.number(covered.frames), from, to });
  };

  const choose = (index: number) => {
    setAt(index);
    const view = frame.current;
    const left = (days[index]?.column ?? 0) * pitch;
    if (!view) return;
    if (left < view.scrollLeft) view.scrollLeft = left;
    else if (left + cell > view.scrollLeft + view.clientWidth) view.scrollLeft = left + cell - view.clientWidth;
  };

  const onPoint = (event: MouseEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((pixels) =>
      Math.floor(pixels / pitch),
    );
    const index = days.findIndex((cell) => cell.column === column && cell.row === row);
    if (index >= 0) setAt(index);
  };

  return (
    <>
      <div
        ref={frame}
        className={css.frame}
        role="slider"
        tabIndex={0}
        aria-label={t('device.coverage.title')}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={day ? dayText(day) : undefined}
        onKeyDown={(event) => {
          const index = dayByKey(event.key, at, days.length);
          if (index === undefined) return;
          event.preventDefault();
          choose(index);
        }}
      >
        <svg
          width={columns * pitch - gap}
          height={7 * pitch - gap}
          aria-hidden="true"
          onMouseMove={onPoint}
          onMouseDown={onPoint}
        >
          {days.map(({ name, column, row, level }, index) => (
            <rect
              key={name}
              className={`${css.day} ${css[`level${level}`]} ${index === at ? css.at : ''}`}
              x={column * pitch}
              y={row * pitch}
              width={cell}
              height={cell}
              rx={3}
            />
          ))}
        </svg>
      </div>
      <div className={css.foot}>
        <span className={css.told}>{day ? dayText(day) : null}</span>
        <span className={css.scale} aria-hidden="true">
          {t('device.coverage.less')}
          <svg width={5 * pitch - gap} height={cell} aria-hidden="true">
            {([0, 1, 2, 3, 4] as const).map((level) => (
              <rect
                key={level}
                className={`${css.day} ${css[`level${level}`]}`}
                x={level * pitch}
                width={cell}
                height={cell}
                rx={3}
              />
            ))}
          </svg>
          {t('device.coverage.more')}
        </span>
      </div>
    </>
  );
}
