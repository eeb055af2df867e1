import css from './NoticeChart.module.css';
import type { Panel } from './panels';

/** A legend above a chart that is too narrow for names beside its lines. */
export function Names({ panels }: { panels: readonly Panel[] }) {
  return (
    <ul className={css.names}>
      {panels.flatMap(({ traces }) =>
        traces.map(({ sign, name, color }) => (
          <li key={sign} className={css.name}>
            <span className={css.stroke} style={{ background: `var(--c${color + 1})` }} aria-hidden="true" />
            {name}
          </li>
        )),
      )}
    </ul>
  );
}
