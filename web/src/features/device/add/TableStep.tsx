import DownloadOutlined from '@ant-design/icons/DownloadOutlined';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { saveFile } from '@/lib/http/download';
import { Note } from '@/ui/Note';
import css from './AddDialog.module.css';
import type { AddedRow } from './added';
import { secretsFile, secretsName } from './tableFile';

/** The secrets of the devices of a table, shown once. */
export function TableStep({ rows }: { rows: readonly AddedRow[] }) {
  const { t } = useTranslation();
  return (
    <>
      <p className={css.ready}>{t('device.table.ready')}</p>
      <Button
        type="primary"
        autoFocus
        className={css.download}
        icon={<DownloadOutlined aria-hidden="true" />}
        onClick={() => saveFile(secretsFile(rows), secretsName())}
      >
        {t('device.table.download')}
      </Button>
      <Note tone="warn">{t('device.table.warning')}</Note>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('device.col.note')}</th>
            <th scope="col">{t('home.device.name')}</th>
            <th scope="col">{t('device.secret.secret')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ deviceName, noteName, secret }) => (
            <tr key={deviceName}>
              <th scope="row">{noteName}</th>
              <td>
                <code translate="no">{deviceName}</code>
              </td>
              <td>
                <code translate="no">{secret}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
