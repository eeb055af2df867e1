import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { formatZone } from '@/lib/format/date';
import { useTenantZone, zonesDiffer } from '@/lib/format/zone';
import css from './ZoneNote.module.css';

interface ZoneNoteProps {
  /** Shows only the offset, for little room. */
  brief?: boolean;
}

/** The zone of the times around it; nothing where the user's own clock shows the same. */
export function ZoneNote({ brief = false }: ZoneNoteProps) {
  const { t } = useTranslation();
  const zone = useTenantZone((state) => state.zone);
  const offset = useClock((now) => (zonesDiffer(now) ? formatZone(now) : ''));
  if (zone === undefined || offset === '') return null;
  const words = t('format.zone', { zone, offset });
  return (
    <p className={css.note} title={words}>
      <ClockCircleOutlined aria-hidden="true" />
      <span aria-hidden={brief}>{brief ? offset : words}</span>
      {brief ? <span className="visually-hidden">{words}</span> : null}
    </p>
  );
}
