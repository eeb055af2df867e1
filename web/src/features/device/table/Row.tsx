import EditOutlined from '@ant-design/icons/EditOutlined';
import { type MouseEvent, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { useMay } from '@/lib/session/useMay';
import type { Column } from './columns';
import css from './DeviceTable.module.css';

export interface RowProps {
  device: Device;
  columns: readonly Column[];
  selected: boolean;
  /** While a form is open, the row opens the form. */
  opensForm: boolean;
  onOpen: (deviceName: string, edit: boolean) => void;
}

/** The address that opens a row's device in a tab of its own. */
export function addressOf(deviceName: string, edit: boolean): string {
  return `/device?device=${encodeURIComponent(deviceName)}${edit ? '&edit=true' : ''}`;
}

/** Handles a plain click within the page; the browser handles any other click on the link. */
export function onPlainClick(act: () => void) {
  return (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    act();
  };
}

/** One device. Memoized, so that it renders only when its props change: there may be 400 rows. */
export const Row = memo(function Row({ device, columns, selected, opensForm, onOpen }: RowProps) {
  const { t } = useTranslation();
  const mayEdit = useMay('operator');
  const { deviceName, noteName } = device;
  return (
    <tr className={selected ? css.selected : undefined} data-row={deviceName}>
      <th scope="row" className={css.note}>
        <a
          className={`${css.open} ${css.lines}`}
          href={addressOf(deviceName, opensForm)}
          title={noteName}
          aria-label={noteName || `${t('device.noNote')}: ${deviceName}`}
          aria-current={selected ? 'true' : undefined}
          data-device={deviceName}
          onClick={onPlainClick(() => onOpen(deviceName, opensForm))}
        >
          {noteName || <span className={css.quiet}>{t('device.noNote')}</span>}
        </a>
      </th>
      {columns.map(({ name, cell, title, Cell }) => (
        <td key={name} className={`${cell ?? ''} ${css[name] ?? ''}`} title={title?.(device, t)}>
          <Cell device={device} />
        </td>
      ))}
      <td className={css.action}>
        {mayEdit ? (
          <a
            className={css.edit}
            href={addressOf(deviceName, true)}
            aria-label={`${t('device.edit')}: ${nameOf(device)}`}
            title={t('device.edit')}
            onClick={onPlainClick(() => onOpen(deviceName, true))}
          >
            <EditOutlined className={css.pen} aria-hidden="true" />
            <span className={css.brief}>{t('device.edit')}</span>
          </a>
        ) : null}
      </td>
    </tr>
  );
});
