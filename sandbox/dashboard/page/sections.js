/** Draws the sandbox's state into the sections of the page. */
/** @import { Choices, State } from '../../control/reads.mts' */
import { drawCredits, drawOffers, drawSites, drawStart, drawWatchdog } from './account.js';
import { drawDeliveries } from './deliveries.js';
import { drawFaults, drawKeys, drawWebhook } from './settings.js';

const drawings = [
	drawStart,
	drawSites,
	drawOffers,
	drawCredits,
	drawWatchdog,
	drawDeliveries,
	drawKeys,
	drawWebhook,
	drawFaults,
];

/**
 * Draws all sections, and puts the focus back where it was.
 *
 * @param {State} state
 * @param {Choices} choices
 */
export function draw(state, choices) {
	keepFocus(() => {
		for (const drawing of drawings) drawing(state, choices);
	});
}

/**
 * Puts the focus back where it was, after `change` has drawn parts of the page anew.
 *
 * @param {() => void} change
 */
export function keepFocus(change) {
	const focused = document.activeElement?.id;
	change();
	if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}
