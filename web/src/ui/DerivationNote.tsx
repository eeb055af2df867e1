import FunctionOutlined from '@ant-design/icons/FunctionOutlined';
import { type KeyboardEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Derivation } from '@/lib/device/derivation';
import { withAntd } from './antd/withAntd';
import css from './DerivationNote.module.css';
import { lazyComponent } from './lazyComponent';

const DerivationTip = lazyComponent(() => withAntd(() => import('./DerivationTip'), 'DerivationTip'), 'DerivationTip');

interface DerivationNoteProps {
  derivation: Derivation;
  /** The device, if the note is about one. */
  deviceName?: string;
}

/**
 * The note of a computed value. On hover, focus or tap it shows the formula and its inputs; for a
 * device also whether the value is an estimate, or why there is none.
 */
export function DerivationNote({ derivation, deviceName }: DerivationNoteProps) {
  const { t } = useTranslation();
  const id = useId();
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  /** Escape closes it until the pointer or the focus comes back. */
  const close = () => {
    setHovered(false);
    setFocused(false);
  };
  const open = hovered || focused;
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
        aria-label={t('derived.about', { name: derivation.name })}
        aria-describedby={open ? id : undefined}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
      >
        <FunctionOutlined aria-hidden="true" />
      </button>
      <Tip id={id} open={open} derivation={derivation} deviceName={deviceName} />
    </span>
  );
}

/** The tooltip from the first time on that it is wanted, so that its closing is animated. */
function Tip(props: { id: string; open: boolean; derivation: Derivation; deviceName?: string }) {
  const [wanted, setWanted] = useState(false);
  if (props.open && !wanted) setWanted(true);
  return wanted ? <DerivationTip {...props} /> : null;
}
