from generator.pages.site import render as render
