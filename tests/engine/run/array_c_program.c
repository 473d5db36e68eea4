/* What a program in C does with hypatia_array.h; returns the line of the first wrong answer. */
#include <hypatia_array.h>
#include <string.h>

#define CHECK(truth) \
  if (!(truth)) return __LINE__

int array_c_program(const char* place) {
  const float values[6] = {0, 1, 2, 3, 4, 5};
  const int64_t dims[2] = {2, 3};
  float back[6] = {0};
  char text[64];
  hypatia_array* a = hypatia_array_of(values, "float32", 2, dims, place);
  CHECK(a != NULL);
  CHECK(hypatia_array_rank(a) == 2 && hypatia_array_dims(a)[1] == 3);
  CHECK(hypatia_array_strides(a)[0] == 12 && strcmp(hypatia_array_dtype(a), "float32") == 0);
  hypatia_array* t = hypatia_array_transpose(a);
  CHECK(t != NULL && hypatia_array_dims(t)[0] == 3);
  hypatia_array* part = hypatia_array_slice(t, 0, 0, 3, 2);
  CHECK(part != NULL && hypatia_array_dims(part)[0] == 2);
  CHECK(hypatia_array_read(part, back, sizeof back) == 0);
  CHECK(back[0] == 0 && back[1] == 3 && back[2] == 2 && back[3] == 5);
  hypatia_array* here = hypatia_array_to(part, "cpu");
  CHECK(here != NULL && hypatia_array_on_host(here));
  CHECK(hypatia_array_text(here, text, sizeof text) > 0 && strstr(text, "5.") != NULL);
  void* tensor = hypatia_array_to_dlpack(here);
  CHECK(tensor != NULL);
  hypatia_array* again = hypatia_array_from_dlpack(tensor);
  CHECK(again != NULL && hypatia_array_data(again) == hypatia_array_data(here));
  hypatia_array_retain(again);
  hypatia_array_release(again);
  CHECK(hypatia_array_sync(again) == 0);
  hypatia_array_release(again);
  hypatia_array_release(here);
  hypatia_array_release(part);
  hypatia_array_release(t);
  hypatia_array_release(a);
  return 0;
}
