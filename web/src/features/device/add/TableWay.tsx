import DownloadOutlined from '@ant-design/icons/DownloadOutlined';
import TableOutlined from '@ant-design/icons/TableOutlined';
import { Button, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { saveFile } from '@/lib/http/download';
import { FileDrop } from '@/ui/FileDrop';
import { Field } from '@/ui/form/Field';
import { Note } from '@/ui/Note';
import type { DeviceOffer } from '../queries';
import css from './AddDialog.module.css';
import { Used } from './NewWay';
import { neededColumns, otherColumns, templateFile } from './tableFile';
import type { Table, TableProblem } from './useTable';

interface TableWayProps {
  id: string;
  offer: DeviceOffer;
  table: Table;
}

/** Many devices from the lines of a table. */
export function TableWay({ id, offer, table }: TableWayProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { text, error, problems, refusal, ready } = table;
  return (
    <form id={id} onSubmit={table.submit} noValidate>
      <Used offer={offer} />
      <p className={css.what}>
        {t('device.table.what', { needed: neededColumns.join(', '), more: otherColumns.join(', ') })}
      </p>
      <Button
        type="text"
        className={css.template}
        icon={<DownloadOutlined aria-hidden="true" />}
        onClick={() => saveFile(templateFile(offer.products), 'devices.csv')}
      >
        {t('device.table.template')}
      </Button>
      <FileDrop
        low
        icon={<TableOutlined />}
        words={t('device.table.choose')}
        kinds={t('device.table.kinds')}
        accept=".csv,.tsv,.txt,text/csv"
        onFile={table.open}
        busy={table.busy}
      />
      <div className={css.lines}>
        <Field label={t('device.table.lines')} error={error}>
          {(labels) => (
            <Input.TextArea
              {...labels}
              ref={(area) => {
                table.field.current = area;
              }}
              className={css.area}
              value={text}
              rows={6}
              wrap="off"
              onChange={({ target }) => table.type(target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      </div>
      <div role="status">
        {ready === undefined ? null : (
          <Note tone="info">{t('device.table.wouldAdd', { count: ready, n: format.number(ready) })}</Note>
        )}
      </div>
      {refusal ? (
        <Note tone="wrong" title={t('device.table.fail')}>
          {refusal}
        </Note>
      ) : null}
      {problems.length > 0 ? <Problems problems={problems} /> : null}
    </form>
  );
}

function Problems({ problems }: { problems: readonly TableProblem[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = problems.length;
  return (
    <>
      <Note tone="wrong">{t('device.table.problems', { count, n: format.number(count) })}</Note>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('device.table.line')}</th>
            <th scope="col">{t('device.table.column')}</th>
            <th scope="col">{t('device.table.problem')}</th>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ line, column, msg }) => (
            <tr key={`${line} ${column} ${msg}`}>
              <th scope="row">{line}</th>
              <td>{column === '' ? t('device.table.wholeLine') : <code translate="no">{column}</code>}</td>
              <td>{msg}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
