/** Page object of n8n's data tables: the tab on n8n's first page, and the page of a table. */
import type { N8nScreen } from './editorPage.mts';

type Screen = Pick<N8nScreen, 'page' | 'person'>;

/** Opens a data table, from any page. */
export async function openDataTable({ page, person }: Screen, name: string): Promise<void> {
	await openDataTables({ page, person });
	await person.click(name, page.getByText(name, { exact: true }).first());
}

/** Adds a row to the open data table, with this value in its first column. */
export async function addDataTableRow({ page, person }: Screen, value: string): Promise<void> {
	await person.click('Add Row', page.getByTestId('data-table-header-add-row-button'));
	// n8n opens the first cell of the new row.
	await page.locator('.ag-cell textarea, .ag-popup textarea').waitFor();
	await person.type(page, value);
	await person.press(page, 'Enter');
	await page.locator('.ag-cell').getByText(value, { exact: true }).waitFor();
}

/** Opens the list of data tables, from any page. */
async function openDataTables({ page, person }: Screen): Promise<void> {
	const part = (id: string) => page.getByTestId(id).filter({ visible: true }).first();
	await person.click(undefined, part('project-home-menu-item'));
	await person.click('Data tables', part('tab-data-tables'));
}
