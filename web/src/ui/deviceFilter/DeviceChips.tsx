import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { knownDevices } from '@/lib/device/live/applyToCache';
import { namedQuery } from '@/lib/device/queries';
import { nameOf } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import css from './DeviceChips.module.css';

interface DeviceChipsProps {
  chosen: ReadonlySet<string>;
  onChange: (names: Iterable<string>) => void;
}

/** The most devices shown by name; of more, the first and the number of the others. */
const maxNamed = 2;

/** The devices to which a list is filtered, each removable. */
export function DeviceChips({ chosen, onChange }: DeviceChipsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);
  const names = [...chosen];
  const shown = names.slice(0, names.length > maxNamed ? 1 : maxNamed);
  const query = namedQuery(language, shown);
  const devices = useQuery({
    ...query,
    enabled: shown.length > 0,
    placeholderData: () => {
      const known = knownDevices(client);
      const list = shown.flatMap((name) => known.get(name) ?? []);
      return { list, total: list.length };
    },
  });
  const titles = new Map(devices.data?.list.map((device) => [device.deviceName, nameOf(device)]));
  const others = names.length - shown.length;
  const rest = t('rule.filter.more', { count: others, n: format.number(others) });
  return (
    <>
      {shown.map((name) => (
        <Chip
          key={name}
          name={titles.get(name) ?? name}
          onRemove={() => onChange(names.filter((other) => other !== name))}
        />
      ))}
      {others > 0 ? <Chip name={rest} onRemove={() => onChange(shown)} /> : null}
    </>
  );
}

function Chip({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation();
  const label = t('rule.filter.remove', { name });
  return (
    <span className={css.chip}>
      <span className={css.name} title={name}>
        {name}
      </span>
      <button type="button" className={css.remove} aria-label={label} title={label} onClick={onRemove}>
        <CloseOutlined aria-hidden="true" />
      </button>
    </span>
  );
}
