import { type CSSProperties, type ReactNode, useId } from 'react';
import css from './Landscape.module.css';
import { fieldGround, furrows, hills, size, spots, stars, trees } from './scene';

/** Morning in the light theme, a night with a moon in the dark one. */
export function Landscape() {
  const id = useId();
  const [mast, , pond] = spots;
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="xMidYMid slice"
      className={css.picture}
      aria-hidden="true"
    >
      <defs>
        <linearGradient id={`${id}sky`} x2="0" y2="1">
          <stop className={css.skyAbove} />
          <stop offset="0.62" className={css.skyBelow} />
        </linearGradient>
        <radialGradient id={`${id}glow`}>
          <stop className={css.glowWithin} />
          <stop offset="0.45" className={css.glowBetween} />
          <stop offset="1" className={css.glowAround} />
        </radialGradient>
        <linearGradient id={`${id}mist`} x2="0" y2="1">
          <stop offset="0.35" className={css.mistAbove} />
          <stop offset="1" className={css.mistBelow} />
        </linearGradient>
        <clipPath id={`${id}field`}>
          <path d={fieldGround} />
        </clipPath>
      </defs>
      <rect x={-700} width={size.width + 1400} height={size.height} fill={`url(#${id}sky)`} />
      <Layer depth={0.06}>
        <g className={css.stars}>
          {stars.map(({ x, y, r }) => (
            <circle key={`${x} ${y}`} cx={x} cy={y} r={r} />
          ))}
        </g>
        <circle cx="1640" cy="300" r="440" fill={`url(#${id}glow)`} />
        <circle cx="1640" cy="300" r="58" className={css.light} />
      </Layer>
      {hills.map(({ name, depth, ground, lines }) => (
        <Layer key={name} depth={depth}>
          <g className={css[name]}>
            <path className={css.ground} d={ground} />
            {lines.map((line) => (
              <path key={line} className={css.line} d={line} />
            ))}
            {name === 'slope'
              ? trees.map(({ x, y, height }) => (
                  <path
                    key={x}
                    className={css.tree}
                    d={`M${x} ${y}c-${height * 0.16} -${height * 0.3} -${height * 0.1} -${height * 0.8} 0 -${height}c${height * 0.1} ${height * 0.2} ${height * 0.16} ${height * 0.7} 0 ${height}z`}
                  />
                ))
              : null}
            {name === 'vineyard' ? (
              <g transform={`translate(${pond.x} ${pond.y})`}>
                <path className={css.shore} d="M-176 4C-160-22-60-24 10-22S178-14 184 6 90 28 0 26-190 26-176 4Z" />
                <path className={css.pond} d="M-162 4C-146-14-56-17 12-15S164-10 168 5 84 20 0 19-176 20-162 4Z" />
              </g>
            ) : null}
          </g>
          {name === 'ridge' ? (
            <rect x={-700} y={380} width={size.width + 1400} height={300} fill={`url(#${id}mist)`} />
          ) : null}
        </Layer>
      ))}
      <Layer depth={1}>
        <path className={css.field} d={fieldGround} />
        <g className={css.furrows} clipPath={`url(#${id}field)`}>
          {furrows.map((furrow) => (
            <path key={furrow} d={furrow} />
          ))}
        </g>
        <g className={css.mast} transform={`translate(${mast.x} ${mast.y})`}>
          <path d="M0 0V-226M-26 0 0 -150 26 0M-34 -206H34M-34 -206v-12M34 -206v-12" />
          <path className={css.cups} d="M-42 -220a8 8 0 0 0 16 0zM26 -220a8 8 0 0 0 16 0z" />
          <path className={css.cups} d="M-9 -186h18v34h-18z" />
        </g>
      </Layer>
    </svg>
  );
}

function Layer({ depth, children }: { depth: number; children: ReactNode }) {
  return (
    <g className={css.layer} style={{ '--depth': depth } as CSSProperties}>
      {children}
    </g>
  );
}
