import EditOutlined from '@ant-design/icons/EditOutlined';
import { type MouseEvent, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { useMay } from '@/lib/session/useMay';
import { Contact, HealthReading, LatestReading, State } from './cells';
import css from './DeviceTable.module.css';

export interface RowProps {
  device: Device;
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
export const Row = memo(function Row({ device, selected, opensForm, onOpen }: RowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const mayEdit = useMay('operator');
  const { deviceName, noteName, productName, product, groupId, groupName, latitude, longitude } = device;
  const scene = groupId === 0 ? t('home.defaultGroup') : groupName;
  const placed = latitude !== undefined && longitude !== undefined;
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
      <td className={`${css.cut} ${css.code}`} title={deviceName}>
        {deviceName}
      </td>
      <td
        className={`${css.cut} ${css.model}`}
        title={productName === product ? product : `${productName} · ${product}`}
      >
        <span className={css.lines}>{productName}</span>
      </td>
      <td className={`${css.cut} ${css.scene}`} title={scene}>
        <span className={css.lines}>{scene}</span>
      </td>
      <td className={`${css.cut} ${css.position}`}>
        {placed ? (
          format.position(latitude, longitude)
        ) : (
          <span className={css.quiet}>{t('home.device.noPosition')}</span>
        )}
      </td>
      <td>
        <State device={device} />
      </td>
      <td className={css.contact}>
        <Contact device={device} />
      </td>
      <td className={css.battery}>
        <HealthReading device={device} of="battery" />
      </td>
      <td className={css.signal}>
        <HealthReading device={device} of="signal" />
      </td>
      <td className={css.latest}>
        <LatestReading device={device} />
      </td>
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
