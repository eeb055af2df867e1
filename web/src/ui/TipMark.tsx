import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import css from './TipMark.module.css';

interface TipMarkProps {
  /** The button's name for screen readers. */
  label: string;
  icon: ReactNode;
  /** The tooltip's text adds to the label: it describes the button while it is shown. */
  describes?: boolean;
  /** The tooltip, from the first time on that it is wanted, so that its closing is animated. */
  tip: (id: string, open: boolean) => ReactNode;
}

/** A small sign beside a value, whose tooltip appears on hover, focus or tap. */
export function TipMark({ label, icon, describes = false, tip }: TipMarkProps) {
  const id = useId();
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const [wanted, setWanted] = useState(false);
  /** Escape closes it until the pointer or the focus comes back. */
  const close = () => {
    setHovered(false);
    setFocused(false);
  };
  const open = hovered || focused;
  if (open && !wanted) setWanted(true);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation(); // keeps a drawer around it open
    close();
  };
  return (
    // The tooltip is in here, too, for React: it stays while the pointer is on it.
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within is the control
    <span className={css.note} onMouseEnter={() => setHovered(true)} onMouseLeave={() => setHovered(false)}>
      <button
        type="button"
        className={css.mark}
        aria-label={label}
        aria-describedby={describes && open ? id : undefined}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
      >
        {icon}
      </button>
      {wanted ? tip(id, open) : null}
    </span>
  );
}
