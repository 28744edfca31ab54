export const fleetText = {
  title: 'Devices',
};
