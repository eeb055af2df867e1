import CloseOutlined from '@ant-design/icons/CloseOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Dialog } from '@/ui/Dialog';
import { DevicePicker } from '@/ui/deviceTree/DevicePicker';
import { maxDevices } from '../search';
import css from './controls.module.css';

interface DevicesFieldProps {
  /** In the order of their colours. */
  names: readonly string[];
  titleOf: (deviceName: string) => string;
  onChange: (names: readonly string[]) => void;
}

/** The devices, each with the colour of its lines and removable, and a dialog to choose them. */
export function DevicesField({ names, titleOf, onChange }: DevicesFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  const full = names.length >= maxDevices;
  const toggle = (name: string) => {
    if (names.includes(name)) onChange(names.filter((other) => other !== name));
    else if (!full) onChange([...names, name]);
  };
  const most = t('analysis.devices.most', { count: maxDevices, n: format.number(maxDevices) });
  return (
    <div className={css.devices}>
      <ul className={css.chips} aria-label={t('analysis.devices.label')}>
        {names.map((name, index) => (
          <li key={name} className={css.chip}>
            <span className={css.color} style={{ background: `var(--c${index + 1})` }} />
            <span className={css.chipName} title={titleOf(name)}>
              {titleOf(name)}
            </span>
            <button
              type="button"
              className={css.remove}
              aria-label={t('analysis.devices.remove', { name: titleOf(name) })}
              title={t('analysis.devices.remove', { name: titleOf(name) })}
              onClick={() => toggle(name)}
            >
              <CloseOutlined aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <Button icon={<PlusOutlined aria-hidden="true" />} onClick={() => setOpen(true)}>
        {t('analysis.devices.add')}
      </Button>
      <Dialog
        open={open}
        title={t('analysis.devices.choose')}
        onClose={() => setOpen(false)}
        footer={
          <Button type="primary" onClick={() => setOpen(false)}>
            {t('analysis.devices.done')}
          </Button>
        }
      >
        <p className={css.most} role="status">
          {full ? most : ''}
        </p>
        <div className={css.tree}>
          <DevicePicker chosen={new Set(names)} onToggle={({ deviceName }) => toggle(deviceName)} />
        </div>
      </Dialog>
    </div>
  );
}
